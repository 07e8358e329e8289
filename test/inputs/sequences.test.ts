import { describe, expect, test } from 'vitest';
import { checkAlignment, looksAligned } from '../../src/inputs/alignment.ts';
import { checkSequences, readFasta } from '../../src/inputs/fasta.ts';

const RESIDUES = 'MNKQQQTALNMARFIRSQSL';

function codes(text: string, psper = false): string[] {
  return checkSequences(readFasta(text), { psper }).map(({ code }) => code);
}

function aligned(...rows: readonly string[]): string[] {
  const text = rows.map((row, index) => `>s${String(index)}\n${row}\n`).join('');
  return checkAlignment(text).map(({ code }) => code);
}

describe('FASTA', () => {
  test('headers, wrapped lines, blanks and any line ends', () => {
    const text = `\r\n>sp|P1|X_Y  A protein\r\nMNKQQ QTALN\r\n\r\nMARFIRSQSL\r\n>b\rMNKQQ\n`;
    expect(readFasta(text)).toEqual({
      plain: false,
      findings: [],
      records: [
        { name: 'sp|P1|X_Y', residues: RESIDUES, line: 2 },
        { name: 'b', residues: 'MNKQQ', line: 6 },
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
    [`${RESIDUES}*`, ['SEQUENCE_NOT_RESIDUES']],
    [`MNKQQ--TALN`, ['SEQUENCE_NOT_RESIDUES']],
    [`MNKQQ123TALN`, ['SEQUENCE_NOT_RESIDUES']],
    ['MNKQQÄTALN', ['SEQUENCE_NOT_RESIDUES']],
    ['MNKXBZUOJTALN', ['SEQUENCE_UNKNOWN_RESIDUES']],
    ['ATGGCGTTTAGCGCAGAAGATGTGCTG', ['SEQUENCE_NUCLEOTIDES']],
    ['GAGAGAGAGAGAGAGAGAGAGAGA', []],
    [`>\n${RESIDUES}`, ['SEQUENCE_HEADER_EMPTY']],
    [`> \n${RESIDUES}`, ['SEQUENCE_HEADER_EMPTY']],
    [`note\n>a\n${RESIDUES}`, ['SEQUENCE_TEXT_BEFORE_HEADER']],
    [`>a x\n${RESIDUES}\n>a y\n${RESIDUES}`, ['SEQUENCE_NAME_REPEATED']],
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
    expect(codes(text, true)).toEqual(expected);
    expect(codes(text, false)).toEqual(length < 5 ? expected : []);
  });
});

describe('an alignment', () => {
  test.each([
    [['MN-QQQTALN', 'MNKQQQ-ALN'], []],
    [['mn-qqqtaln', 'MNKQQQ-ALN'], []],
    // No gaps at all: equal by chance or by nature, no one can tell.
    [['MNKQQQTALN', 'MNKQQQTALN'], []],
    [['MNKQQQTALN'], ['ALIGNMENT_TOO_FEW_ROWS']],
    [['MN-QQQTALN', 'MNKQQQ-AL'], ['ALIGNMENT_UNEQUAL']],
    [['MN.QQQTALN', 'MNKQQQTALN'], ['ALIGNMENT_GAP_CHARACTER']],
    [['MN-QQQTALN', '----------'], ['SEQUENCE_EMPTY']],
    [['MN-QQQTALN', '-------ALN'], ['ALIGNMENT_ROW_SHORT']],
    [['MN-QQQTAL*', 'MNKQQQTALN'], ['SEQUENCE_NOT_RESIDUES']],
    [['MN-XXQTALN', 'MNKQQQTALN'], ['SEQUENCE_UNKNOWN_RESIDUES']],
  ])('%j', (rows, expected) => {
    expect(aligned(...rows)).toEqual(expected);
  });

  test.each([
    ['# STOCKHOLM 1.0\ns1 MN-Q\n//\n', 'Stockholm'],
    ['CLUSTAL O(1.2.4) multiple sequence alignment\n\ns1 MN-Q\n', 'Clustal'],
    [' 2 10\ns1 MNKQQQTALN\n', 'PHYLIP'],
  ])('%j is named', (text, format) => {
    expect(checkAlignment(text)).toEqual([{ code: 'ALIGNMENT_NOT_FASTA', facts: { format } }]);
  });

  test('two sequences with one first word are told of', () => {
    const text = '>seq 0\nMN-QQQTALN\n>seq 1\nMNKQQQTALN\n';
    expect(checkAlignment(text).map(({ code }) => code)).toEqual(['ALIGNMENT_NAME_REPEATED']);
  });

  test('is recognised by equal lengths and gaps together', () => {
    const looks = (...rows: string[]): boolean =>
      looksAligned(readFasta(rows.map((row, index) => `>s${String(index)}\n${row}\n`).join('')));
    expect(looks('MN-Q', 'MNKQ')).toBe(true);
    expect(looks('MNKQ', 'MNKQ')).toBe(false);
    expect(looks('MN-Q', 'MNKQQ')).toBe(false);
    expect(looks('MN-Q')).toBe(false);
  });
});
