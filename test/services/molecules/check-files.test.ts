/** The 19 files of a molecule against each other: recorded runs of the engine, cut, and mixed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { checkFiles } from '../../../src/services/molecules/check-files.ts';
import { nativeFiles } from '../../../src/services/molecules/files.ts';
import { RESULT_KEYS, type ResultKey } from '../../../src/services/molecules/schemas.ts';
import type { AcpypeRecording } from '../recordings.ts';

type Texts = Readonly<Record<string, string>>;

const ROOT = join(import.meta.dirname, '../../..');
const FOLDERS = [join(ROOT, 'src/local-services/recordings/acpype')];

function recorded(path: string): AcpypeRecording {
  return JSON.parse(gunzipSync(readFileSync(path)).toString()) as AcpypeRecording;
}

/** The texts of a recorded run under a common name, as of two jobs that a service mixed up. */
function textsOf(name: string): Texts {
  const { results } = recorded(join(FOLDERS[0] ?? '', `${name}.json.gz`));
  const own = /#include "(.+)_GMX\.itp"/.exec(results['GMX_top'] ?? '')?.[1] ?? '';
  const renamed = Object.entries(results).map(([key, text]) => [
    key,
    text
      .replaceAll(`${own}_`, 'LIG_')
      .replaceAll(`posre_${own}`, 'posre_LIG')
      .replaceAll(new RegExp(`^ ${own} +`, 'gm'), ' LIG ')
      .replaceAll(new RegExp(`^ ${own}$`, 'gm'), ' LIG'),
  ]);
  return Object.fromEntries(renamed) as Texts;
}

function problemOf(texts: Texts): string | null {
  const native = nativeFiles({ results: [texts] }, { chargeMethod: 'bcc', atomType: 'gaff2' });
  const problem = native.ok ? checkFiles(native) : native;
  return problem && `${problem.code} ${problem.message}`;
}

describe('no false alarm', () => {
  const whole = textsOf('smi-sulfanilamide-bcc-0-gaff2');
  const changed = (change: (text: string, key: string) => string): Texts =>
    Object.fromEntries(Object.entries(whole).map(([key, text]) => [key, change(text, key)]));

  test.each([
    ['with the line ends of Windows', changed((text) => text.replaceAll('\n', '\r\n'))],
    ['without the blank characters at their ends', changed((text) => text.trim())],
    ['with one line feed at their ends', changed((text) => `${text.trimEnd()}\n`)],
    ['without the blanks at the ends of lines', changed((text) => text.replaceAll(/ +$/gm, ''))],
    [
      'with another kind of .mdp',
      changed((text, key) => (key.endsWith('_mdp') ? 'integrator = md\n' : text)),
    ],
    [
      // The engine cuts names after four characters; its program for CHARMM then changes the second of two equal ones.
      'with atoms of one name, which those for CHARMM do not have',
      changed((text, key) => (key.startsWith('CHARMM') ? text : text.replaceAll(/\bH7\b/g, 'H6'))),
    ],
  ])('for files %s', (_, texts) => {
    expect(problemOf(texts)).toBeNull();
  });
});

describe('a service that sends much of the same', () => {
  const whole = textsOf('smi-sulfanilamide-bcc-0-gaff2');

  // Each took more than half a minute: the worker does nothing else meanwhile.
  test('lines are read in no time that grows with their square', () => {
    for (const key of RESULT_KEYS) {
      const texts = { ...whole, [key]: `${whole[key] ?? ''}${' 1'.repeat(200_000)}\n` };
      expect([key, problemOf(texts)]).toEqual([key, expect.stringContaining(`${key} has a line`)]);
    }
  });

  test('nor are blank lines', () => {
    const texts = { ...whole, em_mdp: `${'\n'.repeat(400_000)}${whole['em_mdp'] ?? ''}` };
    expect(problemOf(texts)).toBeNull();
  });
});

describe('a file that is cut at ten places', () => {
  test.each(['smi-sulfanilamide-bcc-0-gaff2', 'file-nicotinamide-bcc-0-gaff2'])(
    'is noticed in %s when it ends after a line',
    (name) => {
      const whole = textsOf(name);
      const missed = RESULT_KEYS.flatMap((key) => {
        const lines = (whole[key] ?? '').trimEnd().split('\n');
        return [1, 2, 3, 4, 5, 6].filter((count) => {
          const cut = `${lines.slice(0, -count).join('\n')}\n`;
          return problemOf({ ...whole, [key]: cut }) === null;
        });
      });
      expect(missed).toEqual([]);
    },
  );

  test('is named', () => {
    const whole = textsOf('smi-thymol-bcc-0-gaff2');
    for (const key of RESULT_KEYS) {
      const cut = (whole[key] ?? '').slice(0, -20);
      expect(problemOf({ ...whole, [key]: cut })).toMatch(new RegExp(`^RESULT_\\w+ ${key} `));
    }
  });
});

/** They contain the molecule's name only. */
const ALIKE: readonly ResultKey[] = ['em_mdp', 'md_mdp', 'CNS_inp', 'GMX_OPLS_top', 'GMX_top'];

describe('a file of another molecule with the same name', () => {
  test.each([
    ['thymol', 'r_carvone'],
    ['r_carvone', 'thymol'],
  ])('an isomer: %s with a file of %s', (one, other) => {
    const [own, foreign] = [one, other].map((name) => textsOf(`smi-${name}-bcc-0-gaff2`));
    const missed = RESULT_KEYS.filter((key) => {
      const problem = problemOf({ ...own, [key]: foreign?.[key] ?? '' });
      if (problem !== null) expect(problem).toMatch(`RESULT_FILES_DISAGREE ${key} `);
      return problem === null;
    });
    expect(missed).toEqual(ALIKE);
  });

  test('the same molecule in another conformation, which has other coordinates only', () => {
    const [own, foreign] = ['smi-ethanol-bcc-0-gaff2', 'smi-ethanol-bcc-auto-gaff2'].map(textsOf);
    const noticed = RESULT_KEYS.filter(
      (key) => problemOf({ ...own, [key]: foreign?.[key] ?? '' }) !== null,
    );
    expect(noticed).toEqual(['AC_inpcrd', 'AC_lib', 'mol2', 'CHARMM_inp', 'GMX_gro', 'NEW_pdb']);
  });

  test('the same molecule with another version of the force field, which has other parameters', () => {
    const [own, foreign] = ['gaff', 'gaff2'].map((type) =>
      textsOf(`file-p_cresol-bcc-auto-${type}`),
    );
    const noticed = RESULT_KEYS.map((key) => problemOf({ ...own, [key]: foreign?.[key] ?? '' }));
    expect(noticed.filter((problem) => problem !== null)).toEqual(
      ['AC_prmtop', 'CNS_par', 'GMX_OPLS_itp', 'GMX_itp'].map((key) =>
        expect.stringMatching(`^RESULT_FILES_DISAGREE ${key} has other parameters of `),
      ),
    );
  });

  test('the same molecule, under another key', () => {
    const own = textsOf('file-p_cresol-bcc-auto-gaff');
    const missed = RESULT_KEYS.flatMap((key) =>
      RESULT_KEYS.filter((other) => problemOf({ ...own, [key]: own[other] ?? '' }) === null).map(
        (other) => [key, other],
      ),
    );
    expect(missed).toEqual(RESULT_KEYS.map((key) => [key, key]));
  });

  test('another name alone', () => {
    const own = textsOf('smi-thymol-bcc-0-gaff2');
    for (const key of ['em_mdp', 'md_mdp', 'CNS_inp'] as const) {
      const text = (own[key] ?? '').replaceAll('LIG_', 'phenol_');
      expect(problemOf({ ...own, [key]: text })).toMatch(
        `${key} names a file of phenol, not of LIG`,
      );
    }
  });
});

type Change = (key: ResultKey, from: string | RegExp, to: string) => string | null;
function changeIn(own: Texts): Change {
  return (key, from, to) => {
    expect(own[key]).toMatch(from);
    return problemOf({ ...own, [key]: (own[key] ?? '').replace(from, to) });
  };
}

test('one charge, one place, one bond, one angle, one type', () => {
  const change = changeIn(textsOf('smi-ethanol-bcc-0-gaff2'));
  expect(change('AC_prmtop', '2.30329872E+00', '2.33329872E+00')).toBe(
    'RESULT_FILES_DISAGREE AC_prmtop and GMX_itp contradict each other: AC_prmtop gives C1 the charge 0.1280, not 0.1264.',
  );
  expect(change('CNS_top', 'CHARGE=   0.0432', 'CHARGE=   0.0435')).toMatch('CNS_top gives H3');
  expect(change('AC_inpcrd', '0.4490000', '0.4520000')).toMatch('AC_inpcrd places O 0.003 Å away');
  expect(change('mol2', '     3     1     4 1', '     3     2     4 1')).toMatch(
    'mol2 lists other',
  );
  expect(change('CHARMM_rtf', /^BOND C1 {4}O .*\n/m, '')).toMatch('CHARMM_rtf lists other bonds');
  expect(change('GMX_OPLS_itp', /^ +8 +2 +3 +9 +9 .*\n/m, '')).toMatch('lists other dihedral');
  expect(change('GMX_itp', /^ +7 +2 +8 +1 .*\n/m, '')).toMatch('lists other angles');
  expect(change('AC_lib', '"H5" "ho"', '"H5" "hc"')).toMatch('gives H5 the type hc, not ho');
  expect(change('AC_prmtop', '1.00800000E+00', '1.20100000E+01')).toMatch(
    'gives H the mass 1.008, not 12.01',
  );
});

test('one parameter', () => {
  const ethanol = changeIn(textsOf('smi-ethanol-bcc-0-gaff2'));
  const benzocaine = changeIn(textsOf('smi-benzocaine-bcc-0-gaff2'));
  const lacks = (key: string, term: string): string => `${key} has no parameters of ${term}.`;
  const differs = (key: string, term: string): string => `${key} has other parameters of ${term} `;
  expect(ethanol('CHARMM_prm', /^c3 hc .*\n/m, '')).toMatch(lacks('CHARMM_prm', 'c3-hc'));
  expect(ethanol('CHARMM_prm', /^hc c3 hc .*\n/m, '')).toMatch(lacks('CHARMM_prm', 'hc-c3-hc'));
  expect(ethanol('CHARMM_prm', /^X {2}c3 oh X .*\n/m, '')).toMatch(
    lacks('CHARMM_prm', 'h1-c3-oh-ho'),
  );
  expect(ethanol('CHARMM_prm', /^h1 {6}.*\n/m, '')).toMatch(lacks('CHARMM_prm', 'h1'));
  expect(ethanol('CHARMM_prm', 'hc c3 hc', 'hc c3 ho')).toMatch(
    'hc-c3-ho, which the molecule does',
  );
  expect(ethanol('CNS_par', /^NONB.* h1_.*\n/m, '')).toMatch(lacks('CNS_par', 'h1'));
  expect(ethanol('CNS_par', /^ANGLe {3}hc_.*\n/m, '')).toMatch(lacks('CNS_par', 'hc-c3-hc'));
  expect(ethanol('CNS_par', /^DIHEdral {3}h1_.*\n/m, '')).toMatch(lacks('CNS_par', 'h1-c3-oh-ho'));
  expect(ethanol('CNS_par', '345.2', '345.7')).toMatch(differs('CNS_par', 'c3-hc'));
  expect(ethanol('CNS_par', '1.0962', '1.0972')).toMatch(differs('CNS_par', 'c3-hc'));
  expect(ethanol('CNS_par', '107.73', '107.83')).toMatch(differs('CNS_par', 'hc-c3-hc'));
  expect(ethanol('CNS_par', '0.123    3', '0.123    2')).toMatch(differs('CNS_par', 'h1-c3-oh-ho'));
  expect(ethanol('CNS_par', '0.123    3', '0.126    3')).toMatch(differs('CNS_par', 'h1-c3-oh-ho'));
  expect(ethanol('AC_prmtop', '3.45250000E+02', '3.35250000E+02')).toMatch(
    differs('AC_prmtop', 'c3-hc'),
  );
  expect(ethanol('AC_prmtop', '1.88024401E+00', '1.88124401E+00')).toMatch(
    differs('AC_prmtop', 'hc-c3-hc'),
  );
  expect(ethanol('AC_prmtop', '1.23000000E-01', '1.26000000E-01')).toMatch(
    differs('AC_prmtop', 'h1-c3-oh-ho'),
  );
  expect(ethanol('AC_prmtop', /(PERIODICITY[^]*?) 3/, '$1 2')).toMatch(
    differs('AC_prmtop', 'c3-c3-oh-ho'),
  );
  expect(benzocaine('AC_prmtop', /(DIHEDRAL_PHASE[^]*?) 0\.0/, '$1 3.1')).toMatch(
    /^\S+ AC_prmtop has other/,
  );
  expect(ethanol('GMX_OPLS_itp', '2.8891e+05', '2.7891e+05')).toMatch(
    differs('GMX_OPLS_itp', 'c3-hc'),
  );
  expect(ethanol('GMX_itp', /2\.8891e\+05/g, '2.7891e+05')).toMatch(differs('GMX_itp', 'c3-hc'));
  // Of a sum, each term; of an improper dihedral angle, in any order.
  expect(benzocaine('CNS_par', /^( +0\.)000/m, '$1200')).toMatch(differs('CNS_par', 'hc-c3-c3-os'));
  expect(benzocaine('CNS_par', /^(IMPR.* )1\.1/m, '$11.3')).toMatch(/^\S+ CNS_par has other/);
  expect(benzocaine('CNS_par', /^ +0\.000.*\n/m, '')).toMatch(differs('CNS_par', 'hc-c3-c3-os'));
  expect(benzocaine('CNS_par', /^BOND +ca_ +nv_/m, 'BOND ca_ oh_')).toMatch(
    'CNS_par has parameters of ca-oh,',
  );
  expect(benzocaine('AC_frcmod', /^ca-o -c -os.*\n/m, '')).toMatch(lacks('AC_frcmod', 'ca-o-c-os'));
  const vanillin = changeIn(textsOf('file-vanillin-gas-auto-amber'));
  expect(vanillin('CHARMM_prm', /^NONB[^]*/m, '')).toMatch('CHARMM_prm is cut');
  expect(benzocaine('AC_frcmod', '4.200', '4.300')).toMatch(differs('AC_frcmod', 'ca-ca-nv-hn'));
  expect(benzocaine('AC_frcmod', /1\.1(?= )/, '1.3')).toMatch(differs('AC_frcmod', 'ca-o-c-os'));
  expect(benzocaine('AC_frcmod', 'ca-o -c -os', 'ca-o -c -oh')).toMatch(
    'ca-o-c-oh, which the molecule',
  );
});
