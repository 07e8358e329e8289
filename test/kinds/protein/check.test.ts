/** A prediction against its input, in cases that test/goldens/checks.txt does not have. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ResultProblem } from '../../../src/kinds/json.ts';
import { checkPrediction, type PredictionOptions } from '../../../src/kinds/protein/check.ts';
import { recordingText } from '../../services/recordings.ts';
import type { Predictor } from '../../../src/kinds/vocabulary.ts';

const SHIFTS: PredictionOptions = { kind: 'shifts' };
const ALIGNMENT: PredictionOptions = { kind: 'alignment' };
const sequences = (...predictors: Predictor[]): PredictionOptions => ({
  kind: 'sequence',
  predictors,
});
const DYNAMINE = sequences('dynamine');

function check(options: PredictionOptions, text: string, result: unknown): ResultProblem | null {
  const bytes = typeof result === 'string' ? result : JSON.stringify(result);
  return checkPrediction(Buffer.from(bytes), options, { name: 'input.fasta', text });
}

const chain = (...shiftCrypt: string[]) => ({ sequence: ['M', 'K'], seqCodes: [1, 2], shiftCrypt });
const protein = (seq: string, values: unknown = [...seq].map(() => 0.5)) => ({
  proteins: { a: { seq: [...seq], backbone: values } },
});
const ROWS = {
  proteins: { a: { backbone: [1, null] }, b: { backbone: [1, 2] } },
  sequences: { a: ['M', '-'], b: ['M', 'K'] },
};
const columns = (count: number) => {
  const backbone = Array.from({ length: count }, () => 0.5);
  return { proteins: { a: { backbone }, b: { backbone } } };
};

test.each<[string, PredictionOptions, string, unknown, string | null]>([
  ['only markers for missing values', SHIFTS, '', [chain('-10', '-10.0')], 'RESULT_ALL_MISSING'],
  ['some markers', SHIFTS, '', [chain('-10', '0.5')], null],
  ['a file that cannot be read', SHIFTS, 'data_x\nvalue\n', [chain('0.5', '1')], null],
  ['a chain of markers beside others', SHIFTS, '', [chain('0.5', '1'), chain('-10', '-10')], null],
  ['two of them', SHIFTS, '', [chain('-10', '-10'), chain('-10', '-10')], 'RESULT_ALL_MISSING'],
  ['another order of residues', DYNAMINE, '>a\nMK\n', protein('KM'), 'RESULT_WRONG_SEQUENCE'],
  ['a residue more', DYNAMINE, '>a\nMK\n', protein('MKL'), 'RESULT_WRONG_SEQUENCE'],
  ['an X for a known residue', DYNAMINE, '>a\nMK\n', protein('XK'), 'RESULT_WRONG_SEQUENCE'],
  ['no values', DYNAMINE, '>a\nMK\n', protein('MK', []), 'RESULT_EMPTY'],
  ['rows in another order', ALIGNMENT, '>b\nMK\n>a\nM-\n', ROWS, null],
  ['a row with another gap', ALIGNMENT, '>b\nMK\n>a\n-M\n', ROWS, 'RESULT_WRONG_SEQUENCE'],
  ['a row less', ALIGNMENT, '>b\nMK\n>a\nM-\n>c\nMK\n', ROWS, 'RESULT_WRONG_SEQUENCE'],
  ['no residues, but all columns', ALIGNMENT, '>a\nMK\n>b\nM-\n', columns(2), null],
  ['a column more', ALIGNMENT, '>a\nMK\n>b\nM-\n', columns(3), 'RESULT_WRONG_SEQUENCE'],
  [
    'records in another order: JSON sorts numeric keys',
    DYNAMINE,
    '>10\nMK\n>2\nML\n',
    '{"proteins":{"10":{"seq":"MK","backbone":[1,2]},"2":{"seq":"ML","backbone":[1,2]}}}',
    null,
  ],
  [
    'a label in place of a number',
    DYNAMINE,
    '>a\nMK\n',
    '{"proteins":{"a":{"seq":"MK","backbone":[1,2],"viterbi":[" ","Spacer"]}}}',
    null,
  ],
])('%s', (_, options, text, result, code) => {
  expect(check(options, text, result)).toEqual(
    code === null ? null : expect.objectContaining({ code }),
  );
});

test.each(['no_shift_loop_nef-model1', 'no_shift_loop_str-model1'])('%s is refused', (name) => {
  const result = recordingText(`b2btools/shiftcrypt/${name}`);
  expect(check(SHIFTS, '', result)).toMatchObject({ code: 'RESULT_ALL_MISSING' });
});

describe('letters that the engine reads as X are not a difference', () => {
  test.each([
    ['lower_case', 'mnkqqqtalnmarfirsqslillekldaldadeqaamcerlhelaeelqnsiqarfeaesetgt'],
    ['stop_at_end', 'MNKQQQTALNMARFIRSQSLILLEKLDALDADEQAAMCERLHELAEELQNSIQARFEAESETGT*'],
    ['b_z_u_o_j', 'MNKQQQTALNMARFIRSQSLBZUOJLDALDADEQAAMCERLHELAEELQNSIQARFEAESETGT'],
  ])('%s', (name, sequence) => {
    const result = recordingText(`b2btools/edge/${name}-dynamine`);
    expect(check(DYNAMINE, `>a\n${sequence}\n`, result)).toBeNull();
  });
});

describe('values that are missing', () => {
  test.each(['NaN', 'null', '"nan"', '-Infinity'])('%s is no number of a residue', (value) => {
    const result = `{"proteins":{"a":{"seq":["M","K","L"],"backbone":[0.5,${value},0.5]}}}`;
    expect(check(DYNAMINE, '>a\nMKL\n', result)).toEqual({
      ok: false,
      code: 'RESULT_NOT_A_NUMBER',
      message: '"a" has no number of backbone for residue 2 (K).',
    });
  });

  test('of a predictor that was requested, or that ran for another record', () => {
    const code = 'RESULT_MISSING_VALUES';
    expect(check(sequences('dynamine', 'agmata'), '>a\nMK\n', protein('MK'))).toMatchObject({
      code,
      message: '"a" has no values of agmata.',
    });
    const values = [1, 2];
    const proteins = {
      a: { seq: 'MK', backbone: values, sidechain: values },
      b: { seq: 'ML', backbone: values },
    };
    expect(check(DYNAMINE, '>a\nMK\n>b\nML\n', { proteins })).toMatchObject({
      code,
      message: '"b" has no values of sidechain, which others have.',
    });
  });
});

test('a chain of a shift file that is shorter in the result is another sequence', () => {
  const demo = new URL('../../../batches/demo/files/bmr5387_ubiquitin.nef', import.meta.url);
  const nef = readFileSync(demo, 'utf8');
  const recorded = recordingText('b2btools/shiftcrypt/bmr5387_ubiquitin_nef-model1');
  const shorter: unknown = JSON.parse(recorded, (_, value: unknown) =>
    Array.isArray(value) && typeof value[0] !== 'object' ? value.slice(1) : value,
  );
  expect(check(SHIFTS, nef, shorter)).toMatchObject({ code: 'RESULT_WRONG_SEQUENCE' });
});
