import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Options, Predictor } from '../../../src/domain/item.ts';
import { checkPrediction } from '../../../src/services/predictions/check.ts';
import type { ResultCheck } from '../../../src/results/result-problems.ts';
import { recordingNames, recordingText } from '../recordings.ts';

type PredictionOptions = Exclude<Options, { readonly kind: 'molecule' }>;

const SHIFTS: PredictionOptions = { kind: 'shifts', modelClass: '1', originalNumbering: true };
const ALIGNMENT: PredictionOptions = { kind: 'alignment' };

function sequences(...predictors: Predictor[]): PredictionOptions {
  return { kind: 'sequence', predictors };
}

function check(options: PredictionOptions, text: string, result: unknown): ResultCheck {
  const bytes = typeof result === 'string' ? result : JSON.stringify(result);
  return checkPrediction(Buffer.from(bytes), options, { name: 'input.fasta', text });
}

describe('a silent error of the engine is a failure', () => {
  test('a shift file without shifts: every value is the marker for missing', () => {
    for (const name of ['no_shift_loop_nef-model1', 'no_shift_loop_str-model1']) {
      if (!recordingNames('b2btools/shiftcrypt').includes(name)) continue;
      const result = recordingText(`b2btools/shiftcrypt/${name}`);
      expect(check(SHIFTS, '', result), name).toMatchObject({ code: 'RESULT_ALL_MISSING' });
    }
    const bare = [{ sequence: ['M', 'K'], seqCodes: [1, 2], shiftCrypt: ['-10', '-10.0'] }];
    expect(check(SHIFTS, '', bare)).toMatchObject({ code: 'RESULT_ALL_MISSING' });
  });

  test('a chain without values is accepted beside one with values', () => {
    const chain = (shiftCrypt: string[]) => ({
      sequence: ['M', 'K'],
      seqCodes: [1, 2],
      shiftCrypt,
    });
    const silent = chain(['-10', '-10']);
    expect(check(SHIFTS, '', [chain(['0.5', '-10']), silent])).toEqual({ ok: true });
    expect(check(SHIFTS, '', [silent, silent])).toMatchObject({ code: 'RESULT_ALL_MISSING' });
  });

  test('some values of -10 beside other values are accepted', () => {
    const some = [{ sequence: ['M', 'K'], seqCodes: [1, 2], shiftCrypt: ['-10', '0.5'] }];
    expect(check(SHIFTS, '', some)).toEqual({ ok: true });
  });

  test('residues of another protein, or in another order', () => {
    for (const seq of ['KM', 'MKL', 'M']) {
      const backbone = [...seq].map(() => 0.5);
      const result = { proteins: { a: { seq: [...seq], backbone } } };
      expect(check(sequences('dynamine'), '>a\nMK\n', result), seq).toMatchObject({
        code: 'RESULT_WRONG_SEQUENCE',
      });
    }
  });

  test('a requested predictor without values', () => {
    const result = { proteins: { a: { seq: 'MK', backbone: [1, 2] } } };
    expect(check(sequences('dynamine', 'agmata'), '>a\nMK\n', result)).toMatchObject({
      code: 'RESULT_MISSING_VALUES',
      message: '"a" has no values of agmata.',
    });
  });

  test('an alignment with rows other than those sent', () => {
    const result = {
      proteins: { a: { backbone: [1, null] }, b: { backbone: [1, 2] } },
      sequences: { a: ['M', '-'], b: ['M', 'K'] },
    };
    expect(check(ALIGNMENT, '>b\nMK\n>a\nM-\n', result)).toEqual({ ok: true });
    expect(check(ALIGNMENT, '>b\nMK\n>a\n-M\n', result)).toMatchObject({
      code: 'RESULT_WRONG_SEQUENCE',
    });
    expect(check(ALIGNMENT, '>b\nMK\n>a\nM-\n>c\nMK\n', result)).toMatchObject({
      code: 'RESULT_WRONG_SEQUENCE',
    });
  });

  test('an alignment without residues in the payload must have all columns', () => {
    const rows = (columns: number): unknown => {
      const backbone = Array.from({ length: columns }, () => 0.5);
      return { proteins: { a: { backbone }, b: { backbone } } };
    };
    expect(check(ALIGNMENT, '>a\nMK\n>b\nM-\n', rows(2))).toEqual({ ok: true });
    expect(check(ALIGNMENT, '>a\nMK\n>b\nM-\n', rows(3))).toMatchObject({
      code: 'RESULT_WRONG_SEQUENCE',
    });
  });
});

test('records may be in another order: JSON sorts numeric keys', () => {
  const result =
    '{"proteins":{"10":{"seq":"MK","backbone":[1,2]},"2":{"seq":"ML","backbone":[1,2]}}}';
  expect(check(sequences('dynamine'), '>10\nMK\n>2\nML\n', result)).toEqual({ ok: true });
});

describe('letters that the engine reads as X are not a difference', () => {
  test.each([
    ['lower_case', 'mnkqqqtalnmarfirsqslillekldaldadeqaamcerlhelaeelqnsiqarfeaesetgt'],
    ['stop_at_end', 'MNKQQQTALNMARFIRSQSLILLEKLDALDADEQAAMCERLHELAEELQNSIQARFEAESETGT*'],
    ['b_z_u_o_j', 'MNKQQQTALNMARFIRSQSLBZUOJLDALDADEQAAMCERLHELAEELQNSIQARFEAESETGT'],
  ])('%s', (name, sequence) => {
    const result = recordingText(`b2btools/edge/${name}-dynamine`);
    expect(check(sequences('dynamine'), `>a\n${sequence}\n`, result)).toEqual({ ok: true });
  });

  test('an X for a known residue is reported as a difference', () => {
    const result = { proteins: { a: { seq: 'XK', backbone: [1, 2] } } };
    expect(check(sequences('dynamine'), '>a\nMK\n', result)).toMatchObject({
      code: 'RESULT_WRONG_SEQUENCE',
    });
  });
});

describe('a value that is not a number', () => {
  const protein = (values: string): string =>
    `{"proteins":{"a":{"seq":["M","K","L"],"backbone":${values}}}}`;

  test.each(['[0.5,NaN,0.5]', '[0.5,null,0.5]', '[0.5,"nan",0.5]', '[0.5,-Infinity,0.5]'])(
    'is an error for a residue: %s',
    (values) => {
      expect(check(sequences('dynamine'), '>a\nMKL\n', protein(values))).toEqual({
        ok: false,
        code: 'RESULT_NOT_A_NUMBER',
        message: '"a" has no number of backbone for residue 2 (K).',
      });
    },
  );

  test('is valid for a gap, and as a label', () => {
    const rows = {
      proteins: { a: { backbone: [1, null] }, b: { backbone: [1, 2] } },
      sequences: { a: ['M', '-'], b: ['M', 'K'] },
    };
    expect(check(ALIGNMENT, '>a\nM-\n>b\nMK\n', rows)).toEqual({ ok: true });
    const labelled = '{"proteins":{"a":{"seq":"MK","backbone":[1,2],"viterbi":[" ","Spacer"]}}}';
    expect(check(sequences('dynamine'), '>a\nMK\n', labelled)).toEqual({ ok: true });
  });
});

test('a predictor that ran for one record and not for the other', () => {
  const result = {
    proteins: {
      a: { seq: 'MK', backbone: [1, 2], sidechain: [1, 2] },
      b: { seq: 'ML', backbone: [1, 2] },
    },
  };
  expect(check(sequences('dynamine'), '>a\nMK\n>b\nML\n', result)).toMatchObject({
    code: 'RESULT_MISSING_VALUES',
    message: '"b" has no values of sidechain, which others have.',
  });
});

describe('the chains of a shift file', () => {
  const nef = readFileSync(
    new URL('../../../batches/demo/files/bmr5387_ubiquitin.nef', import.meta.url),
    'utf8',
  );
  const recorded = recordingText('b2btools/shiftcrypt/bmr5387_ubiquitin_nef-model1');
  type Chain = Readonly<Record<string, unknown[]>>;
  const chain = (change: (lists: unknown[]) => unknown[]): object[] =>
    (JSON.parse(recorded) as Chain[]).map((one) =>
      Object.fromEntries(
        Object.entries(one).map(([key, list]) => [key, Array.isArray(list) ? change(list) : list]),
      ),
    );

  test('are returned unchanged', () => {
    expect(check(SHIFTS, nef, recorded)).toEqual({ ok: true });
  });

  test.each([
    ['in another order', (list: unknown[]) => list.toReversed()],
    ['without the last residue', (list: unknown[]) => list.slice(0, -1)],
  ])('are refused: %s', (_, change) => {
    expect(check(SHIFTS, nef, chain(change))).toMatchObject({ code: 'RESULT_WRONG_SEQUENCE' });
  });
});
