/** The 19 files of a molecule against each other: recorded runs of the engine, cut, and mixed. */
import { describe, expect, test } from 'vitest';
import { checkFiles } from '../../../src/kinds/molecule/check.ts';
import { readNativeFiles, RESULT_KEYS, type ResultKey } from '../../../src/kinds/molecule/files.ts';
import { acpypeRecording } from '../../services/recordings.ts';

type Texts = Readonly<Record<string, string>>;

/** The texts of a recorded run under a common name, as of two jobs that a service mixed up. */
function textsOf(name: string): Texts {
  const { results } = acpypeRecording(name);
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
  const native = readNativeFiles({ results: [texts] }, { chargeMethod: 'bcc', atomType: 'gaff2' });
  const problem = native.ok ? checkFiles(native) : native;
  return problem && `${problem.code} ${problem.message}`;
}

const WHOLE = textsOf('smi-sulfanilamide-bcc-0-gaff2');

test.each<[string, (text: string, key: string) => string]>([
  ['with the line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
  ['without the blank characters at their ends', (text) => text.trim()],
  ['with one line feed at their ends', (text) => `${text.trimEnd()}\n`],
  ['without the blanks at the ends of lines', (text) => text.replaceAll(/ +$/gm, '')],
  ['with another kind of .mdp', (text, key) => (key.endsWith('_mdp') ? 'integrator = md\n' : text)],
  [
    // The engine cuts names after four characters; its program for CHARMM then changes the second of two equal ones.
    'with atoms of one name, which those for CHARMM do not have',
    (text, key) => (key.startsWith('CHARMM') ? text : text.replaceAll(/\bH7\b/g, 'H6')),
  ],
])('no false alarm for files %s', (_, change) => {
  const changed = Object.entries(WHOLE).map(([key, text]) => [key, change(text, key)]);
  expect(problemOf(Object.fromEntries(changed) as Texts)).toBeNull();
});

// Each took more than half a minute: the worker does nothing else meanwhile.
test('long lines are noticed, and they and blank lines are read in no time that grows with their square', () => {
  for (const key of RESULT_KEYS) {
    const texts = { ...WHOLE, [key]: `${WHOLE[key] ?? ''}${' 1'.repeat(200_000)}\n` };
    expect([key, problemOf(texts)]).toEqual([key, expect.stringContaining(`${key} has a line`)]);
  }
  const blank = `${'\n'.repeat(400_000)}${WHOLE['em_mdp'] ?? ''}`;
  expect(problemOf({ ...WHOLE, em_mdp: blank })).toBeNull();
});

describe('a cut file', () => {
  test.each(['smi-sulfanilamide-bcc-0-gaff2', 'file-nicotinamide-bcc-0-gaff2'])(
    'is noticed in %s when it ends after a line, and is named when it ends within one',
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
      for (const key of RESULT_KEYS) {
        const cut = (whole[key] ?? '').slice(0, -20);
        expect(problemOf({ ...whole, [key]: cut })).toMatch(new RegExp(`^RESULT_\\w+ ${key} `));
      }
    },
  );
});

describe('a file of another molecule with the same name', () => {
  /** The problem of one molecule's files with each one of another's, by its key. */
  function mixed(one: string, other: string): Map<ResultKey, string> {
    const [own, foreign] = [textsOf(one), textsOf(other)];
    const problems = RESULT_KEYS.map((key) => {
      return [key, problemOf({ ...own, [key]: foreign[key] ?? '' })] as const;
    });
    return new Map(problems.flatMap(([key, problem]) => (problem ? [[key, problem]] : [])));
  }

  test.each([
    ['thymol', 'r_carvone'],
    ['r_carvone', 'thymol'],
  ])('an isomer: %s with a file of %s', (one, other) => {
    const found = mixed(`smi-${one}-bcc-0-gaff2`, `smi-${other}-bcc-0-gaff2`);
    for (const [key, problem] of found) expect(problem).toMatch(`RESULT_FILES_DISAGREE ${key} `);
    const missed = RESULT_KEYS.filter((key) => !found.has(key));
    // They contain the molecule's name only.
    expect(missed).toEqual(['em_mdp', 'md_mdp', 'CNS_inp', 'GMX_OPLS_top', 'GMX_top']);
  });

  test('the same molecule in another conformation, which has other coordinates only', () => {
    const found = mixed('smi-ethanol-bcc-0-gaff2', 'smi-ethanol-bcc-auto-gaff2');
    const keys = ['AC_inpcrd', 'AC_lib', 'mol2', 'CHARMM_inp', 'GMX_gro', 'NEW_pdb'];
    expect([...found.keys()]).toEqual(keys);
  });

  test('the same molecule with another version of the force field, which has other parameters', () => {
    const found = mixed('file-p_cresol-bcc-auto-gaff', 'file-p_cresol-bcc-auto-gaff2');
    const differ = (files: string) =>
      `RESULT_FILES_DISAGREE The parameters of GMX_itp are not those of ${files}.`;
    expect([...found]).toEqual([
      ['AC_prmtop', differ('AC_prmtop')],
      ['CNS_par', differ('CNS_par')],
      ['GMX_OPLS_itp', differ('GMX_OPLS_itp')],
      ['GMX_itp', differ('GMX_OPLS_itp and AC_prmtop and CNS_par')],
    ]);
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

  test.each(['em_mdp', 'md_mdp', 'CNS_inp'] as const)('another name alone in %s', (key) => {
    const text = (WHOLE[key] ?? '').replaceAll('LIG_', 'phenol_');
    expect(problemOf({ ...WHOLE, [key]: text })).toMatch(
      `${key} names a file of phenol, not of LIG`,
    );
  });
});

const lacks = (term: string) => `has no parameters of ${term}.`;
const differs = (key: string) => `The parameters of GMX_itp are not those of ${key}`;

const ETHANOL: [ResultKey, string | RegExp, string, string][] = [
  // One charge, one place, one bond, one type.
  ['AC_prmtop', '2.30329872E+00', '2.33329872E+00', 'gives C1 the charge 0.1280, not 0.1264.'],
  ['CNS_top', 'CHARGE=   0.0432', 'CHARGE=   0.0435', 'CNS_top gives H3'],
  ['AC_inpcrd', '0.4490000', '0.4520000', 'AC_inpcrd places O 0.003 Å away'],
  ['mol2', '     3     1     4 1', '     3     2     4 1', 'mol2 lists other'],
  ['CHARMM_rtf', /^BOND C1 {4}O .*\n/m, '', 'CHARMM_rtf lists other bonds'],
  ['AC_lib', '"H5" "ho"', '"H5" "hc"', 'gives H5 the type hc, not ho'],
  // One parameter.
  ['CNS_par', /^NONB.* h1_.*\n/m, '', lacks('h1')],
  ['CNS_par', '345.2', '345.7', differs('CNS_par')],
  ['GMX_OPLS_itp', /^ +8 +2 +3 +9 +9 .*\n/m, '', differs('GMX_OPLS_itp')],
  ['GMX_OPLS_itp', '2.8891e+05', '2.7891e+05', differs('GMX_OPLS_itp')],
  ['GMX_itp', /^ +7 +2 +8 +1 .*\n/m, '', differs('GMX_OPLS_itp')],
  ['GMX_itp', /2\.8891e\+05/g, '2.7891e+05', differs('GMX_OPLS_itp and AC_prmtop and CNS_par')],
];

const BENZOCAINE: typeof ETHANOL = [
  ['CNS_par', /^NONB.* ca_.*\n/m, '$&NONBonded   cl_ \n', 'CNS_par has parameters of cl,'],
  ['CHARMM_prm', 'ha      0.00', 'hx      0.00', 'CHARMM_prm has parameters of hx,'],
  ['AC_frcmod', /^ca-o -c -os.*\n/m, '', lacks('ca-o-c-os')],
  ['AC_frcmod', 'ca-o -c -os', 'ca-o -c -oh', 'AC_frcmod has parameters of oh, which the molecule'],
];

test.each([
  ['smi-ethanol-bcc-0-gaff2', ETHANOL],
  ['smi-benzocaine-bcc-0-gaff2', BENZOCAINE],
  [
    'file-vanillin-gas-auto-amber',
    [['CHARMM_prm', /^NONB[^]*/m, '', 'CHARMM_prm is cut']] satisfies typeof ETHANOL,
  ],
])('one value of %s that differs in one file is noticed and named', (name, changes) => {
  const own = textsOf(name);
  for (const [key, from, to, words] of changes) {
    expect(own[key]).toMatch(from);
    const problem = problemOf({ ...own, [key]: (own[key] ?? '').replace(from, to) });
    expect([problem, words]).toEqual([expect.stringContaining(words), words]);
    expect(problem).toContain('RESULT_FILES_DISAGREE ');
  }
});
