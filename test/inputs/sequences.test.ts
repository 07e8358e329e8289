import { describe, expect, test } from 'vitest';
import type { Predictor } from '../../src/domain/item.ts';
import { looksAligned, readAlignmentInput } from '../../src/inputs/sequences/alignment.ts';
import { checkSequences, readFasta } from '../../src/inputs/sequences/fasta.ts';
import type { Reading } from '../../src/inputs/reading.ts';
import { readSequenceInput } from '../../src/inputs/sequences/sequence.ts';

const RESIDUES = 'MNKQQQTALNMARFIRSQSL';

function codes(text: string, ...predictors: Predictor[]): string[] {
  const asked = predictors.length === 0 ? (['dynamine'] as const) : predictors;
  return checkSequences(readFasta(text), { predictors: asked }).map(({ code }) => code);
}

function sequence(text: string, id = 'row'): Reading {
  return readSequenceInput(text, { kind: 'sequence', predictors: ['dynamine'] }, id);
}

function aligned(...rows: readonly string[]): string[] {
  const text = rows.map((row, index) => `>s${String(index)}\n${row}\n`).join('');
  return readAlignmentInput(text).findings.map(({ code }) => code);
}

describe('FASTA', () => {
  test('headers, wrapped lines, blanks and any line ends', () => {
    const text = `\r\n>sp|P1|X_Y  A protein\r\nMNKQQ QTALN\r\n\r\nMARFIRSQSL\r\n>b\rMNKQQ\n`;
    expect(readFasta(text)).toEqual({
      plain: false,
      findings: [],
      records: [
        { header: 'sp|P1|X_Y  A protein', name: 'sp|P1|X_Y', residues: RESIDUES, line: 2 },
        { header: 'b', name: 'b', residues: 'MNKQQ', line: 6 },
      ],
    });
  });

  test('without a header it is one plain sequence', () => {
    expect(readFasta(` ${RESIDUES.slice(0, 10)}\n${RESIDUES.slice(10)}\n`)).toMatchObject({
      plain: true,
      records: [{ name: '', residues: RESIDUES }],
    });
  });
});

describe('a sequence', () => {
  test.each([
    [RESIDUES, []],
    [RESIDUES.toLowerCase(), []],
    ['G'.repeat(60), []],
    ['MNKQQ', []],
    ['MNKQ', ['SEQUENCE_TOO_SHORT']],
    [`>a\n\n`, ['SEQUENCE_EMPTY']],
    ['', ['SEQUENCE_EMPTY']],
    [`${RESIDUES}*`, ['SEQUENCE_STOP_REMOVED']],
    [`${RESIDUES}**`, ['SEQUENCE_NOT_RESIDUES', 'SEQUENCE_STOP_REMOVED']],
    [`>a\n*`, ['SEQUENCE_EMPTY']],
    [`MNKQ*`, ['SEQUENCE_STOP_REMOVED', 'SEQUENCE_TOO_SHORT']],
    ['MNKQQ*TALN', ['SEQUENCE_NOT_RESIDUES']],
    ['XXXXXXXXXX', ['SEQUENCE_ALL_UNKNOWN']],
    [`MNKQQ--TALN`, ['SEQUENCE_NOT_RESIDUES']],
    [`MNKQQ123TALN`, ['SEQUENCE_NOT_RESIDUES']],
    ['MNKQQÄTALN', ['SEQUENCE_NOT_RESIDUES']],
    ['MNKXBZUOJTALN', ['SEQUENCE_UNKNOWN_RESIDUES']],
    ['ATGGCGTTTAGCGCAGAAGATGTGCTG', ['SEQUENCE_NUCLEOTIDES']],
    ['augauggcguuuagcgcagaagau', ['SEQUENCE_UNKNOWN_RESIDUES', 'SEQUENCE_NUCLEOTIDES']],
    ['GATGATGATGATGATGATGAT', ['SEQUENCE_NUCLEOTIDES_DOUBTFUL']],
    ['ATGGCGTTTAGCGCAGAAG', []],
    ['GAGAGAGAGAGAGAGAGAGAGAGA', []],
    [`>\n${RESIDUES}`, ['SEQUENCE_HEADER_EMPTY']],
    [`> \n${RESIDUES}`, ['SEQUENCE_HEADER_EMPTY']],
    [`note\n>a\n${RESIDUES}`, ['SEQUENCE_TEXT_BEFORE_HEADER']],
    [`>a x\n${RESIDUES}\n>a x\n${RESIDUES}`, ['SEQUENCE_NAME_REPEATED']],
    [`>a x\n${RESIDUES}\n>a y\n${RESIDUES}`, []],
    ['<!DOCTYPE html><html></html>', ['SEQUENCE_NOT_RESIDUES', 'SEQUENCE_UNKNOWN_RESIDUES']],
  ])('%j', (text, expected) => {
    expect(codes(text)).toEqual(expected);
  });

  test.each([
    [19, ['SEQUENCE_LENGTH_FOR_PSPER']],
    [20, []],
    [3000, []],
    [3001, ['SEQUENCE_LENGTH_FOR_PSPER']],
    [4, ['SEQUENCE_TOO_SHORT']],
  ])('of %i residues with psper', (length, expected) => {
    const text = 'MNKQ'.repeat(1000).slice(0, length);
    expect(codes(text, 'psper')).toEqual(expected);
    expect(codes(text, 'dynamine')).toEqual(length < 5 ? expected : []);
  });

  test.each(['efoldmine', 'disomine', 'agmata'] as const)('of %s has 7 residues', (predictor) => {
    expect(codes('MNKQQQ', predictor)).toEqual(['SEQUENCE_TOO_SHORT_FOR']);
    expect(codes('MNKQQQT', predictor)).toEqual([]);
  });
});

describe('the form in which a sequence is sent', () => {
  test.each([
    ['a plain sequence', RESIDUES.toLowerCase(), `>row\n${RESIDUES.toLowerCase()}\n`],
    [
      'a sequence with CRLF and blank lines',
      `>a\r\n\r\n${RESIDUES}\r\n`,
      `>a\r\n\r\n${RESIDUES}\r\n`,
    ],
  ])('%s is sent unchanged, below a header', (_, given, sent) => {
    expect(sequence(given).input).toEqual({ name: 'input.fasta', text: sent });
  });

  test('headers are kept if the ids in the results can be predicted and traced back', () => {
    const text = `>sp|P1|A_B Some v.2\n${RESIDUES}\n`;
    expect(sequence(text).input).toEqual({
      name: 'input.fasta',
      text,
      names: { sp_P1_A_B_Some_v2: 'sp|P1|A_B Some v.2' },
    });
    expect(sequence(RESIDUES, 'my.id').input?.names).toEqual({ myid: 'my.id' });
  });

  test('a stop sign at the end is removed and the original kept', () => {
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
    ['blanks in a row', 'a  b', 'c'],
    ['dots alone', '...', 'c'],
    ['a property name of objects', '__proto__', 'a/b'],
  ])('headers without predictable ids are sent under generated names: %s', (_, ...headers) => {
    const text = headers.map((header) => `>${header}\n${RESIDUES}\n`).join('');
    const { input } = sequence(text);
    expect(input?.original).toEqual({ name: 'original.fasta', text });
    expect(readFasta(input?.text ?? '').records).toMatchObject(
      headers.map((_header, n) => ({ header: `seq_${String(n + 1)}`, residues: RESIDUES })),
    );
    expect(Object.values(input?.names ?? {})).toEqual(headers);
    expect(Object.keys(input?.names ?? {})).toEqual(
      headers.map((_header, n) => `seq_${String(n + 1)}`),
    );
  });

  test('the canonical text is the residues in their order, whatever the notation', () => {
    const one = sequence(`>a\r\n${RESIDUES.toLowerCase()}*\r\n`);
    expect(one.canonical).toBe(RESIDUES);
    expect(sequence(RESIDUES).canonical).toBe(RESIDUES);
    expect(sequence(`>a\nMNKQQ\n>b\nTALNM\n`).canonical).not.toBe(
      sequence(`>a\nTALNM\n>b\nMNKQQ\n`).canonical,
    );
  });
});

describe('an alignment', () => {
  test.each([
    [['MN-QQQTALN', 'MNKQQQ-ALN'], []],
    [['mn-qqqtaln', 'MNKQQQ-ALN'], []],
    // No gaps at all: whether the equal lengths are a coincidence is unknown.
    [['MNKQQQTALN', 'MNKQQQTALN'], []],
    [['MNKQQQTALN'], ['ALIGNMENT_TOO_FEW_ROWS']],
    [['MN-QQQTALN', 'MNKQQQ-AL'], ['ALIGNMENT_UNEQUAL']],
    [['MN.QQ~TALN', 'MNKQQQTALN'], ['ALIGNMENT_GAP_CHARACTER']],
    [['MN-QQQTALN', 'MN-QQQTALN'], ['ALIGNMENT_EMPTY_COLUMNS']],
    [
      ['ATGGCGTTTAGCGCA-AGATGTGC', 'ATGGCGTTTAGCGCAGAGATGTGC'],
      ['SEQUENCE_NUCLEOTIDES', 'SEQUENCE_NUCLEOTIDES'],
    ],
    [['MN-QQQTALN', '----------'], ['SEQUENCE_EMPTY']],
    [['MN-QQQTALN', '-------ALN'], ['ALIGNMENT_ROW_SHORT']],
    [['MN-QQQTAL*', 'MNKQQQTALN'], ['SEQUENCE_NOT_RESIDUES']],
    [['MN-XXQTALN', 'MNKQQQTALN'], ['SEQUENCE_UNKNOWN_RESIDUES']],
  ])('%j', (rows, expected) => {
    expect(aligned(...rows)).toEqual(expected);
  });

  test('two sequences with one header are reported; a common first word is harmless', () => {
    const named = (...headers: string[]): string[] =>
      readAlignmentInput(
        headers.map((header) => `>${header}\nMN-QQQTALN\n`).join('') + '>c\nMNKQQQTALN\n',
      ).findings.map(({ code }) => code);
    expect(named('seq 0', 'seq 0')).toEqual(['ALIGNMENT_NAME_REPEATED']);
    expect(named('seq 0', 'seq 1')).toEqual([]);
  });

  test('is sent unchanged if nothing has to change, with the names in the results', () => {
    const text = '>gi|1|x.2\nmn-qqqtaln\n>b c\nMNKQQQTALN\n';
    expect(readAlignmentInput(text)).toEqual({
      findings: [],
      input: { name: 'input.fasta', text, names: { b_c: 'b c' } },
      canonical: '>gi|1|x.2\nMN-QQQTALN\n>b_c\nMNKQQQTALN',
    });
  });

  test('other gaps are sent as `-`, and the original is kept', () => {
    const text = '>a\nMN.QQ~TALN\n>b\nMNKQQQ_ALN\n';
    const { input } = readAlignmentInput(text);
    expect(input).toEqual({
      name: 'input.fasta',
      text: '>a\nMN-QQ-TALN\n>b\nMNKQQQ-ALN\n',
      original: { name: 'original.fasta', text },
    });
  });

  test('unpredictable names are replaced: those of Pfam have a slash', () => {
    const { input } = readAlignmentInput('>A_B/1-10\nMN-QQQTALN\n>c\nMNKQQQTALN\n');
    expect(input?.text).toBe('>seq_1\nMN-QQQTALN\n>seq_2\nMNKQQQTALN\n');
    expect(input?.names).toEqual({ seq_1: 'A_B/1-10', seq_2: 'c' });
  });

  test('is recognised by equal lengths and gaps together', () => {
    const looks = (...rows: string[]): boolean =>
      looksAligned(readFasta(rows.map((row, index) => `>s${String(index)}\n${row}\n`).join('')));
    expect(looks('MN-Q', 'MNKQ')).toBe(true);
    expect(looks('MN.Q', 'MNKQ')).toBe(true);
    expect(looks('MNKQ', 'MNKQ')).toBe(false);
    expect(looks('MN-Q', 'MNKQQ')).toBe(false);
    expect(looks('MN-Q')).toBe(false);
  });
});
