/** One case per code is in test/goldens/invalid.txt; here are the limits, what is no fault, and what is sent. */
import { describe, expect, test } from 'vitest';
import { readAlignmentInput } from '../../../src/kinds/protein/alignment.ts';
import { readFasta, readSequenceInput } from '../../../src/kinds/protein/fasta.ts';
import type { Reading } from '../../../src/kinds/kind.ts';
import type { Predictor } from '../../../src/kinds/vocabulary.ts';

const RESIDUES = 'MNKQQQTALNMARFIRSQSL';

function codes(text: string, predictor: Predictor = 'dynamine'): string[] {
  return sequence(text, 'row', predictor).findings.map(({ code }) => code);
}

function sequence(text: string, id = 'row', predictor: Predictor = 'dynamine'): Reading {
  return readSequenceInput(text, { kind: 'sequence', predictors: [predictor] }, id);
}

test('FASTA has headers, wrapped lines, blanks and any line ends, or is one plain sequence', () => {
  const text = `\r\n>sp|P1|X_Y  A protein\r\nMNKQQ QTALN\r\n\r\nMARFIRSQSL\r\n>b\rMNKQQ\n`;
  expect(readFasta(text)).toEqual({
    plain: false,
    findings: [],
    records: [
      { header: 'sp|P1|X_Y  A protein', name: 'sp|P1|X_Y', residues: RESIDUES },
      { header: 'b', name: 'b', residues: 'MNKQQ' },
    ],
  });
  const plain = { plain: true, records: [{ name: '', residues: RESIDUES }] };
  expect(readFasta(` ${RESIDUES.slice(0, 10)}\n${RESIDUES.slice(10)}\n`)).toMatchObject(plain);
});

describe('a sequence', () => {
  test.each([
    [RESIDUES, []],
    ['MNKQQ', []],
    ['MNKQ', ['SEQUENCE_TOO_SHORT']],
    [`${RESIDUES}**`, ['SEQUENCE_NOT_RESIDUES', 'SEQUENCE_STOP_REMOVED']],
    [`MNKQ*`, ['SEQUENCE_STOP_REMOVED', 'SEQUENCE_TOO_SHORT']],
    ['MNKQQ*TALN', ['SEQUENCE_NOT_RESIDUES']],
    ['MNKQQÄTALN', ['SEQUENCE_NOT_RESIDUES']],
    ['MNKXBZUOJTALN', ['SEQUENCE_UNKNOWN_RESIDUES']],
    ['augauggcguuuagcgcagaagau', ['SEQUENCE_UNKNOWN_RESIDUES', 'SEQUENCE_NUCLEOTIDES']],
    ['ATGGCGTTTAGCGCAGAAG', []],
    ['GAGAGAGAGAGAGAGAGAGAGAGA', []],
    [`>a x\n${RESIDUES}\n>a x\n${RESIDUES}`, ['SEQUENCE_NAME_REPEATED']],
    [`>a x\n${RESIDUES}\n>a y\n${RESIDUES}`, []],
  ])('%j', (text, expected) => {
    expect(codes(text)).toEqual(expected);
  });

  test.each([
    [19, ['SEQUENCE_LENGTH_FOR_PSPER']],
    [20, []],
    [3000, []],
    [3001, ['SEQUENCE_LENGTH_FOR_PSPER']],
  ])('of %i residues with psper', (length, expected) => {
    const text = 'MNKQ'.repeat(1000).slice(0, length);
    expect([codes(text, 'psper'), codes(text, 'dynamine')]).toEqual([expected, []]);
  });

  test.each(['efoldmine', 'disomine', 'agmata'] as const)('of %s has 7 residues', (predictor) => {
    expect(codes('MNKQQQ', predictor)).toEqual(['SEQUENCE_TOO_SHORT_FOR']);
    expect(codes('MNKQQQT', predictor)).toEqual([]);
  });
});

describe('the form in which a sequence is sent', () => {
  test('is that of the user, below a header whose id in the result can be traced back', () => {
    for (const [given, sent] of [
      [RESIDUES.toLowerCase(), `>row\n${RESIDUES.toLowerCase()}\n`],
      [`>a\r\n\r\n${RESIDUES}\r\n`, `>a\r\n\r\n${RESIDUES}\r\n`],
    ] as const) {
      expect(sequence(given).input).toEqual({ name: 'input.fasta', text: sent });
    }
    const text = `>sp|P1|A_B Some v.2\n${RESIDUES}\n`;
    const names = { sp_P1_A_B_Some_v2: 'sp|P1|A_B Some v.2' };
    expect(sequence(text).input).toEqual({ name: 'input.fasta', text, names });
    expect(sequence(RESIDUES, 'my.id').input?.names).toEqual({ myid: 'my.id' });
  });

  test('has no stop sign at the end; the original is kept', () => {
    const text = `>a b\n${RESIDUES.slice(0, 10)}\n${RESIDUES.slice(10)}*\n`;
    expect(sequence(text).input).toEqual({
      name: 'input.fasta',
      text: `>a b\n${RESIDUES}\n`,
      original: { name: 'original.fasta', text },
      names: { a_b: 'a b' },
    });
  });

  test.each([
    ['two that become one', 'a.b', 'ab'],
    ['one that looks like a repetition of another', 'dup', 'dup', 'dup_2'],
    ['empty', '', 'b'],
    ['a path', '../../etc/passwd', 'b'],
    ['beyond ASCII', 'näme', 'b'],
    ['too long', 'x'.repeat(148), 'b'],
    ['a property name of objects', '__proto__', 'a/b'],
  ])('has generated names for headers without predictable ids: %s', (_, ...headers) => {
    const text = headers.map((header) => `>${header}\n${RESIDUES}\n`).join('');
    const { input } = sequence(text);
    expect(input?.original).toEqual({ name: 'original.fasta', text });
    const sent = headers.map((_header, n) => `seq_${String(n + 1)}`);
    expect(readFasta(input?.text ?? '').records).toMatchObject(
      sent.map((header) => ({ header, residues: RESIDUES })),
    );
    expect(Object.entries(input?.names ?? {})).toEqual(headers.map((name, n) => [sent[n], name]));
  });

  test('has the same canonical text in every notation: its residues, in their order', () => {
    const given = [RESIDUES, `>a\r\n${RESIDUES.toLowerCase()}*\r\n`];
    expect(given.map((text) => sequence(text).canonical)).toEqual([RESIDUES, RESIDUES]);
    const [one, other] = [`>a\nMNKQQ\n>b\nTALNM\n`, `>a\nTALNM\n>b\nMNKQQ\n`];
    expect(sequence(one).canonical).not.toBe(sequence(other).canonical);
  });
});

describe('an alignment', () => {
  test.each([
    [['MN-QQQTALN', 'MNKQQQ-ALN'], []],
    // No gaps at all: whether the equal lengths are a coincidence is unknown.
    [['MNKQQQTALN', 'MNKQQQTALN'], []],
    [['MNKQQQTALN'], ['ALIGNMENT_TOO_FEW_ROWS']],
    [['MN-QQQTALN', 'MNKQQQ-AL'], ['ALIGNMENT_UNEQUAL']],
    [['MN-QQQTALN', '-------ALN'], ['ALIGNMENT_ROW_SHORT']],
    [['MN-QQQTAL*', 'MNKQQQTALN'], ['SEQUENCE_NOT_RESIDUES']],
    [
      ['MN-QQQTAL*', 'MNKQQQTA*'],
      ['SEQUENCE_STOP_REMOVED', 'ALIGNMENT_UNEQUAL', 'SEQUENCE_STOP_REMOVED'],
    ],
  ])('%j', (rows, expected) => {
    const text = rows.map((row, index) => `>s ${String(index)}\n${row}\n`).join('');
    expect(readAlignmentInput(text).findings.map(({ code }) => code)).toEqual(expected);
  });

  test('is sent unchanged if nothing has to change, with the names in the results', () => {
    const text = '>gi|1|x.2\nmn-qqqtaln\n>b c\nMNKQQQTALN\n';
    expect(readAlignmentInput(text)).toEqual({
      findings: [],
      input: { name: 'input.fasta', text, names: { b_c: 'b c' } },
      canonical: '>gi|1|x.2\nMN-QQQTALN\n>b_c\nMNKQQQTALN',
    });
  });

  test('is sent with `-` for other gaps and with predictable names; the original is kept', () => {
    const text = '>A_B/1-10\nMN.QQ~TALN\n>c\nMNKQQQ_ALN\n';
    expect(readAlignmentInput(text).input).toEqual({
      name: 'input.fasta',
      text: '>seq_1\nMN-QQ-TALN\n>seq_2\nMNKQQQ-ALN\n',
      original: { name: 'original.fasta', text },
      names: { seq_1: 'A_B/1-10', seq_2: 'c' },
    });
  });
});
