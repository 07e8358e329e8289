import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Options, Predictor } from '../../../src/domain/item.ts';
import { checkResult } from '../../../src/services/check-result.ts';
import { readPayload } from '../../../src/results/payload.ts';
import type { ResultCheck } from '../../../src/results/result-problems.ts';
import { recordingNames, recordingText } from '../recordings.ts';

const SHIFTS: Options = { kind: 'shifts', modelClass: '1', originalNumbering: true };
const ALIGNMENT: Options = { kind: 'alignment' };

function sequences(...predictors: Predictor[]): Options {
  return { kind: 'sequence', predictors };
}

function check(options: Options, text: string, result: unknown): ResultCheck {
  const bytes = typeof result === 'string' ? result : JSON.stringify(result);
  return checkResult({ options, input: { name: 'input.fasta', text } }, Buffer.from(bytes));
}

/** The input that a recording was made from, as far as the payload shows it. */
function inputOf(recording: string): string {
  const payload = readPayload(recording);
  if (!payload.ok) throw new Error(payload.message);
  return payload.entries.map(({ sequence }, index) => `>s${index}\n${sequence}\n`).join('');
}

function recordings(folder: string, ending: string): string[] {
  return recordingNames(`b2btools/${folder}`).filter((name) => name.endsWith(ending));
}

describe('recorded successes are right', () => {
  test.each(recordings('single', '-all5'))('%s', (name) => {
    const result = recordingText(`b2btools/single/${name}`);
    const options = sequences('dynamine', 'disomine', 'efoldmine', 'agmata', 'psper');
    expect(check(options, inputOf(result), result)).toEqual({ ok: true });
  });

  test.each(recordings('msa', '-all4'))('%s', (name) => {
    const result = recordingText(`b2btools/msa/${name}`);
    expect(check(ALIGNMENT, inputOf(result), result)).toEqual({ ok: true });
  });

  test.each(recordings('shiftcrypt', '').filter((name) => !name.startsWith('no_shift_loop')))(
    '%s',
    (name) => {
      const result = recordingText(`b2btools/shiftcrypt/${name}`);
      const missing = [...result.matchAll(/"-10(?:\.0)?"/g)].length;
      const residues = inputOf(result).replace(/>.*\n/g, '').trim().length;
      const expected = missing === residues ? { code: 'RESULT_ALL_MISSING' } : { ok: true };
      expect(check(SHIFTS, '', result)).toMatchObject(expected);
    },
  );

  test('an alignment that the demo sends, against its own file', () => {
    const file = new URL('../../../batches/demo/files/globins6.fasta', import.meta.url);
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      text = inputOf(recordingText('b2btools/msa/globins6-all4'));
    }
    expect(check(ALIGNMENT, text, recordingText('b2btools/msa/globins6-all4'))).toEqual({
      ok: true,
    });
  });
});

describe('what the engine gets silently wrong is a failure', () => {
  test.each(['len_1', 'len_4', 'empty'])('%s: nothing predicted', (name) => {
    const result = recordingText(`b2btools/edge/${name}-dynamine`);
    expect(check(sequences('dynamine'), '>a\nMKTL\n', result)).toMatchObject({
      code: 'RESULT_EMPTY',
    });
  });

  test('a shift file without shifts: every value says missing', () => {
    for (const name of ['no_shift_loop_nef-model1', 'no_shift_loop_str-model1']) {
      if (!recordingNames('b2btools/shiftcrypt').includes(name)) continue;
      const result = recordingText(`b2btools/shiftcrypt/${name}`);
      expect(check(SHIFTS, '', result), name).toMatchObject({ code: 'RESULT_ALL_MISSING' });
    }
    const bare = [{ sequence: ['M', 'K'], seqCodes: [1, 2], shiftCrypt: ['-10', '-10.0'] }];
    expect(check(SHIFTS, '', bare)).toMatchObject({ code: 'RESULT_ALL_MISSING' });
  });

  test('a chain without a single value is no harm beside one with values', () => {
    const chain = (shiftCrypt: string[]) => ({
      sequence: ['M', 'K'],
      seqCodes: [1, 2],
      shiftCrypt,
    });
    const silent = chain(['-10', '-10']);
    expect(check(SHIFTS, '', [chain(['0.5', '-10']), silent])).toEqual({ ok: true });
    expect(check(SHIFTS, '', [silent, silent])).toMatchObject({ code: 'RESULT_ALL_MISSING' });
  });

  test('some -10 in a good result are true results', () => {
    const some = [{ sequence: ['M', 'K'], seqCodes: [1, 2], shiftCrypt: ['-10', '0.5'] }];
    expect(check(SHIFTS, '', some)).toEqual({ ok: true });
  });

  test('a record that was dropped', () => {
    const result = { proteins: { a: { seq: ['M', 'K'], backbone: [1, 2] } } };
    expect(check(sequences('dynamine'), '>a\nMK\n>\nML\n', result)).toMatchObject({
      code: 'RESULT_WRONG_SEQUENCE',
    });
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

  test('one record twice, the other not at all', () => {
    const once = { seq: 'MK', backbone: [1, 2] };
    const result = { proteins: { a: once, b: once } };
    expect(check(sequences('dynamine'), '>a\nMK\n>b\nML\n', result)).toMatchObject({
      code: 'RESULT_WRONG_SEQUENCE',
    });
  });

  test('fewer values than residues', () => {
    const result = { proteins: { a: { seq: 'MK', backbone: [1] } } };
    expect(check(sequences('dynamine'), '>a\nMK\n', result)).toMatchObject({
      code: 'RESULT_MISSING_VALUES',
    });
  });

  test('a predictor that was asked for and gave nothing', () => {
    const result = { proteins: { a: { seq: 'MK', backbone: [1, 2] } } };
    expect(check(sequences('dynamine', 'agmata'), '>a\nMK\n', result)).toMatchObject({
      code: 'RESULT_MISSING_VALUES',
      message: '"a" has no values of agmata.',
    });
  });

  test('nothing but null', () => {
    const result = '{"proteins":{"a":{"seq":"MK","backbone":[NaN,NaN]}}}';
    expect(check(sequences('dynamine'), '>a\nMK\n', result)).toMatchObject({
      code: 'RESULT_ALL_MISSING',
    });
  });

  test('an alignment whose rows are not those sent', () => {
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

  test('an alignment of which the payload shows no residues must have all columns', () => {
    const rows = (columns: number): unknown => {
      const backbone = Array.from({ length: columns }, () => 0.5);
      return { proteins: { a: { backbone }, b: { backbone } } };
    };
    expect(check(ALIGNMENT, '>a\nMK\n>b\nM-\n', rows(2))).toEqual({ ok: true });
    expect(check(ALIGNMENT, '>a\nMK\n>b\nM-\n', rows(3))).toMatchObject({
      code: 'RESULT_WRONG_SEQUENCE',
    });
  });

  test('bytes that are no result at all', () => {
    expect(check(ALIGNMENT, '', '<html>')).toMatchObject({ code: 'RESULT_NOT_JSON' });
    expect(check(ALIGNMENT, '', '')).toMatchObject({ code: 'RESULT_EMPTY' });
    expect(check(ALIGNMENT, '', '{"proteins":')).toMatchObject({ code: 'RESULT_TRUNCATED' });
  });
});

test('records may come back in another order: JSON sorts numbers as keys by itself', () => {
  const result =
    '{"proteins":{"10":{"seq":"MK","backbone":[1,2]},"2":{"seq":"ML","backbone":[1,2]}}}';
  expect(check(sequences('dynamine'), '>10\nMK\n>2\nML\n', result)).toEqual({ ok: true });
});

describe('letters that the engine reads as X are no difference', () => {
  test.each([
    ['lower_case', 'mnkqqqtalnmarfirsqslillekldaldadeqaamcerlhelaeelqnsiqarfeaesetgt'],
    ['stop_at_end', 'MNKQQQTALNMARFIRSQSLILLEKLDALDADEQAAMCERLHELAEELQNSIQARFEAESETGT*'],
    ['b_z_u_o_j', 'MNKQQQTALNMARFIRSQSLBZUOJLDALDADEQAAMCERLHELAEELQNSIQARFEAESETGT'],
  ])('%s', (name, sequence) => {
    const result = recordingText(`b2btools/edge/${name}-dynamine`);
    expect(check(sequences('dynamine'), `>a\n${sequence}\n`, result)).toEqual({ ok: true });
  });

  test('an X where a residue was sent is one', () => {
    const result = { proteins: { a: { seq: 'XK', backbone: [1, 2] } } };
    expect(check(sequences('dynamine'), '>a\nMK\n', result)).toMatchObject({
      code: 'RESULT_WRONG_SEQUENCE',
    });
  });
});
