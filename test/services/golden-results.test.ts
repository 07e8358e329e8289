/**
 * Every result that the real engines reported as a success, against its own input: the right ones pass, and those known
 * as silently wrong from field notes and recordings are detected, each with its code.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { compositionOf } from '../../src/inputs/molecules/composition.ts';
import { openChemist } from '../../src/inputs/molecules/rdkit.ts';
import { checkResult } from '../../src/services/check-result.ts';
import { checkFiles } from '../../src/services/predictions/check-files.ts';
import {
  goldenMolecules,
  goldenPredictions,
  isPresent,
  type GoldenMolecule,
  type GoldenPrediction,
} from './golden-jobs.ts';

/** Silent errors of the engine, by the key of the golden result, in both collections. */
const WRONG: Readonly<Record<string, string>> = {
  // The engine ignored the charge.
  'smi-wrong_charge3-gas-1-gaff2': 'RESULT_WRONG_CHARGE',
  // Six atoms of benzene.
  'file-edge_no_hydrogens-gas-auto-gaff2': 'RESULT_WRONG_ATOMS',
  'smi-two_parts-gas-auto-gaff2': 'RESULT_WRONG_ATOMS',
  // Parameters of carbon for silicon.
  'smi-silane-bcc-auto-gaff2': 'RESULT_NEEDS_REVISION',
  // Records without predictions; one of the awkward headers has no name, and its record is dropped.
  'edge/empty-dynamine': 'RESULT_EMPTY',
  'edge/len_1-dynamine': 'RESULT_EMPTY',
  'edge/len_4-dynamine': 'RESULT_EMPTY',
  'edge/awkward_headers-dynamine': 'RESULT_WRONG_SEQUENCE',
  'edge/nucleotides-dynamine': 'RESULT_WRONG_SEQUENCE',
  'msa/all_gap_row-dynamine': 'RESULT_EMPTY',
  'msa/one_sequence-dynamine': 'RESULT_WRONG_SEQUENCE',
  'msa/duplicate_ids-dynamine': 'RESULT_WRONG_SEQUENCE',
  'msa/unequal_length-dynamine': 'RESULT_WRONG_SEQUENCE',
  // Files without shifts: -10 for every residue.
  'shiftcrypt/no_shift_loop_nef-model1': 'RESULT_ALL_MISSING',
  'shiftcrypt/no_shift_loop_str-model1': 'RESULT_ALL_MISSING',
};

const chemist = openChemist();
afterAll(() => chemist.close());

/** The code of the error in a result of this input; undefined if it is right. */
async function codeOf({ input, options }: GoldenMolecule, result: string) {
  const check = await checkResult({ options, input }, result, await compositionOf(input, chemist));
  return check.ok ? undefined : check.code;
}

describe.each(['own', 'public'])('%s', (owner) => {
  const present = isPresent(owner);

  test.skipIf(!present)('only known wrong molecules are rejected', async () => {
    const all = goldenMolecules(owner);
    expect(all.length).toBeGreaterThan(40);
    for (const molecule of all) {
      const { key, input, result } = molecule;
      expect(await compositionOf(input, chemist), key).not.toBeNull();
      const code = await codeOf(molecule, result);
      expect([key, code]).toEqual([key, WRONG[key.replace('malformed_', '')]]);
    }
  });

  test.skipIf(!present)('only known wrong predictions are rejected', async () => {
    const all = goldenPredictions(owner);
    expect(all.length).toBeGreaterThan(40);
    for (const { key, input, options, result } of all) {
      const check = await checkResult({ options, input }, result);
      expect([key, check.ok ? undefined : check.code]).toEqual([
        key,
        WRONG[key.replace('malformed_', '')],
      ]);
    }
  });

  test.skipIf(!present)('files of one prediction agree', () => {
    const all = goldenPredictions(owner);
    const compared = all.filter(({ files }) => files.csv !== undefined);
    expect(compared.length).toBeGreaterThan(30);
    for (const { key, files, options } of compared) {
      expect([key, checkFiles(files, kindOf(options), 'job')]).toEqual([key, null]);
    }
  });

  test.skipIf(!present)('files of different predictions disagree', () => {
    const all = goldenPredictions(owner).filter(({ files }) => files.csv !== undefined);
    let mixed = 0;
    for (const [place, one] of all.entries()) {
      const kind = kindOf(one.options);
      const other = all.slice(place + 1).find((next) => isOther(one, next));
      if (other === undefined) continue;
      for (const name of ['csv', 'metadata', 'distributions'] as const) {
        const text = other.files[name];
        if (text === undefined) continue;
        mixed += 1;
        const problem = checkFiles({ result: one.result, [name]: text }, kind, 'job');
        const where = `${name} of ${other.key} in the folder of ${one.key}`;
        expect([where, problem?.code]).toEqual([where, 'RESULT_FILES_DISAGREE']);
      }
    }
    expect(mixed).toBeGreaterThan(60);
  });
});

function kindOf(options: GoldenPrediction['options']) {
  if (options.kind === 'molecule') throw new Error('no prediction');
  return options.kind;
}

/** Files of the same protein need not contradict: some jobs differ in their predictors only. */
function isOther(one: GoldenPrediction, next: GoldenPrediction): boolean {
  return kindOf(one.options) === kindOf(next.options) && proteinOf(one) !== proteinOf(next);
}

/** The first letters, without gaps; for a file of shifts the source entry. */
function proteinOf({ key, input }: GoldenPrediction): string {
  const entry = /BeR31|DhR29B|bmr\d+|no_shift/.exec(key)?.[0];
  const letters = input.text.replaceAll(/^>.*$/gm, '').replaceAll(/[\s.-]/g, '');
  return entry ?? letters.slice(0, 100).toUpperCase();
}

describe('an isomer', () => {
  test.skipIf(!isPresent('own')).each([
    ['thymol', 'r_carvone'],
    ['r_carvone', 'thymol'],
  ])('%s is not %s', async (asked, got) => {
    const all = goldenMolecules('own');
    const [one, other] = [asked, got].map((name) =>
      all.find(({ key }) => key === `smi-${name}-bcc-0-gaff2`),
    );
    if (one === undefined || other === undefined) throw new Error('no recording');
    expect(await codeOf(one, one.result)).toBeUndefined();
    expect(await codeOf(one, other.result)).toBe('RESULT_OTHER_MOLECULE');
  });

  test.skipIf(!isPresent('own'))('an enantiomer is distinguished from the other one', async () => {
    const all = goldenMolecules('own');
    const find = (name: string) => all.find(({ key }) => key === name);
    const s = find('smi-s_ibuprofen-bcc-0-gaff2');
    const r = find('file-ibuprofen-bcc-auto-gaff2');
    if (s === undefined || r === undefined) throw new Error('no recording');
    expect(await codeOf(s, r.result)).toBe('RESULT_OTHER_STEREO');
    expect(await codeOf(r, s.result)).toBe('RESULT_OTHER_STEREO');
  });
});
