/** The files of a record under their native names, and what of a record is not a result. */
import { describe, expect, test, vi } from 'vitest';
import { type Composition, readComposition } from '../../../src/kinds/molecule/input.ts';
import { checkMolecule } from '../../../src/kinds/molecule/check.ts';
import { chemist } from '../../../src/kinds/molecule/rdkit.ts';
import { readNativeFiles } from '../../../src/kinds/molecule/files.ts';
import { acpypeRecording, finishedRecord, recordedOptions } from '../../services/recordings.ts';

const ETHANOL = acpypeRecording('smi-ethanol-bcc-auto-gaff2');
const WHOLE = finishedRecord(ETHANOL);

const OPTIONS = recordedOptions(ETHANOL);

function native(record: unknown, options = OPTIONS) {
  const files = readNativeFiles(record, options);
  if (!files.ok) throw new Error(`${files.code}: ${files.message}`);
  return files;
}

/** Of ethanol's record with these changes. */
function check(
  changes: object,
  options = OPTIONS,
  composition: Composition | null = null,
  mayBeSynthetic = false,
) {
  const record = JSON.stringify({ ...WHOLE, ...changes });
  return checkMolecule(record, options, composition, mayBeSynthetic);
}

const withText = (key: string, change: (text: string) => string) => ({
  results: [{ ...ETHANOL.results, [key]: change(ETHANOL.results[key] ?? '') }],
});

describe('native files', () => {
  test('have the names that ACPYPE gives, and the texts unchanged', () => {
    const { name, files } = native(WHOLE);
    expect(name).toBe('ethanol');
    for (const { key, fileName, text } of files) {
      expect(text).toBe(ETHANOL.results[key]);
      if (key.endsWith('_mdp')) expect(fileName).toBe(key.replace('_', '.'));
      else expect(fileName).toMatch(/^ethanol_(AC|bcc_gaff2|CHARMM|CNS|GMX|GMX_OPLS|NEW)\.\w+$/);
    }
  });

  test('are those of the first complete set; of others there are few', () => {
    const tiny = Array.from({ length: 1000 }, () => ({ em_mdp: 'x' }));
    const { files, otherSets } = native({ ...WHOLE, results: [{}, ...tiny, ETHANOL.results] });
    expect(files.map(({ text }) => text)).not.toContain('x');
    expect(otherSets).toEqual(Array(9).fill([{ key: 'em_mdp', fileName: 'em.mdp', text: 'x' }]));
  });
});

describe('problems of a record are returned, never thrown', () => {
  test.each([null, 'text', 7, [], {}, { results: 'x' }, { results: [null, 1, 'x'] }])(
    '%j contains no files',
    (record) => {
      expect(readNativeFiles(record, OPTIONS)).toMatchObject({ ok: false, code: 'RESULT_EMPTY' });
    },
  );

  test.each(['../../etc/x', '/etc/x', '.hidden', 'a b', 'a\\b', '', '-rf', 'x'.repeat(200)])(
    'the name %j must not become a path',
    async (name) => {
      const record = withText('GMX_top', () => `#include "${name}_GMX.itp"\n`);
      expect(await check(record)).toMatchObject({ code: 'RESULT_UNSAFE_NAME' });
    },
  );

  test('a missing include', async () => {
    expect(
      await check(withText('GMX_top', (text) => `${text}\n#include "other.itp"\n`)),
    ).toMatchObject({
      code: 'RESULT_MISSING_FILES',
      message: 'ethanol_GMX.top includes "other.itp", which is missing.',
    });
  });
});

describe('silent errors of the engine', () => {
  test('a net charge that the engine ignored', async () => {
    expect(await check({}, { ...OPTIONS, netCharge: 1 })).toMatchObject({
      code: 'RESULT_WRONG_CHARGE',
    });
  });

  test.each([
    ['an atom less in the coordinates', 'GMX_gro', /^.* H5 .*\n/m, 'RESULT_FILES_DISAGREE'],
    ['an atom less in the topology', 'GMX_itp', /^ +9 +ho .*\n/m, 'RESULT_WRONG_CHARGE'],
    ['a bond less', 'GMX_itp', /^ +1 +2 +1 +1\.53.*\n/m, 'RESULT_WRONG_ATOMS'],
  ])('%s', async (_, key, line, code) => {
    const results = withText(key, (text) => text.replace(line, ''));
    expect(await check(results)).toMatchObject({ code });
  });

  test('the molecule of another input, unless the result is labelled as synthetic where it may be', async () => {
    const rest = { molecule: null, lacksHydrogens: false };
    const ethane = { elements: 'C C H H H H H H'.split(' '), charge: 0, ...rest };
    expect(await check({}, OPTIONS, ethane)).toEqual({
      ok: false,
      code: 'RESULT_WRONG_ATOMS',
      message: 'The topology is that of C2H6O, the input is C2H6.',
    });
    const label = { synthetic: true };
    expect(await check(label, OPTIONS, ethane, true)).toBeNull();
    expect(await check(label, OPTIONS, ethane)).toMatchObject({ code: 'RESULT_WRONG_ATOMS' });
    const ion = { elements: 'C C H H H H H H O'.split(' '), charge: -2, ...rest };
    expect(await check({}, OPTIONS, ion)).toMatchObject({ code: 'RESULT_WRONG_CHARGE' });
  });

  test.each([
    ['an isomer', 'CC1=CCC(CC1=O)C(C)=C', 'smi-thymol-bcc-0-gaff2', 'RESULT_OTHER_MOLECULE'],
    [
      'the mirror image',
      'CC(C)Cc1ccc(cc1)[C@@H](C)C(=O)O',
      'smi-s_ibuprofen-bcc-0-gaff2',
      'RESULT_OTHER_STEREO',
    ],
    ['the molecule', 'Cc1ccc(C(C)C)c(O)c1', 'smi-thymol-bcc-0-gaff2', undefined],
    ['silicon', '[SiH4]', 'smi-silane-bcc-auto-gaff2', 'RESULT_NEEDS_REVISION'],
  ])('%s of what was sent', async (_, smiles, name, code) => {
    const recording = acpypeRecording(name);
    const input = { name: 'input.smi', text: smiles };
    const composition = await readComposition(input);
    const options = recordedOptions(recording);
    const record = JSON.stringify(finishedRecord(recording));
    const result = await checkMolecule(record, options, composition);
    expect(result?.code).toBe(code);
  });

  test('are not assumed if RDKit does not answer in time', async () => {
    const unanswered = { type: 'unanswered', reason: 'it was not read within 10 s' } as const;
    vi.spyOn(chemist, 'compare').mockResolvedValueOnce(unanswered);
    const recording = acpypeRecording('smi-thymol-bcc-0-gaff2');
    const carvone = await readComposition({ name: 'input.smi', text: 'CC1=CCC(CC1=O)C(C)=C' });
    const record = JSON.stringify(finishedRecord(recording));
    expect(await checkMolecule(record, recordedOptions(recording), carvone)).toBeNull();
  });

  test('an input without hydrogens', async () => {
    const recording = acpypeRecording('file-edge_no_hydrogens-gas-auto-gaff2');
    const input = {
      elements: 'N C C C C C C'.split(' '),
      charge: 0,
      molecule: null,
      lacksHydrogens: true,
    };
    const record = JSON.stringify(finishedRecord(recording));
    expect(await checkMolecule(record, recordedOptions(recording), input)).toMatchObject({
      code: 'RESULT_WRONG_ATOMS',
      message: expect.stringContaining('lacks its hydrogens') as string,
    });
  });

  test('parameters that the engine guessed', async () => {
    const record = withText('AC_frcmod', () => 'BOND\nc3-si  300.0  1.8  ATTN, need revision\n');
    expect(await check(record)).toMatchObject({ code: 'RESULT_NEEDS_REVISION' });
  });
});
