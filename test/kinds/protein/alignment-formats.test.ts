import fc from 'fast-check';
import { ClustalMSA, StockholmMSA } from 'msa-parsers';
import { describe, expect, test } from 'vitest';
import {
  detectFormat,
  readAlignmentInput,
  readRows,
} from '../../../src/kinds/protein/alignment.ts';

const STOCKHOLM = `# STOCKHOLM 1.0
#=GF ID small
#=GS one AC X1

one        MN.QQ
#=GR one SS HHHHH
two        MNKQQ
#=GC SS_cons HHHHH

one        QTALN
two        QT-LN
//
`;
const CLUSTAL = `CLUSTAL O(1.2.4) multiple sequence alignment

one        MN-QQ 4
two        MNKQQ 5
           ** **

one        QTALN 9
two        QT-LN 9
           ** **
`;
const FASTA = '>one\nMN-QQQTALN\n>two\nMNKQQQT-LN\n';

const codes = (text: string): string[] => readAlignmentInput(text).findings.map(({ code }) => code);

describe('the format is detected from its first line', () => {
  test.each([
    [STOCKHOLM, 'Stockholm'],
    [CLUSTAL, 'Clustal'],
    ['\r\nMUSCLE (3.8) multiple sequence alignment\r\n', 'Clustal'],
    [FASTA, 'FASTA'],
    ['#NEXUS\nbegin data;\n', 'NEXUS'],
    ['PileUp\n MSF: 10 Type: P\n', 'MSF'],
    [' 2 10\none MNKQQQTALN\n', 'PHYLIP'],
  ])('%j', (text, format) => {
    expect(detectFormat(text)).toBe(format);
  });
});

describe('Stockholm and Clustal, interleaved, are sent as FASTA', () => {
  test.each([
    ['Stockholm', STOCKHOLM, 'original.sto', ['ALIGNMENT_GAP_CHARACTER']],
    ['Clustal', CLUSTAL, 'original.aln', []],
  ])('%s', (_, text, name, found) => {
    for (const given of [text, text.replaceAll('\n', '\r\n')]) {
      expect(readAlignmentInput(given)).toMatchObject({
        input: { name: 'input.fasta', text: FASTA, original: { name, text: given } },
        canonical: FASTA.trimEnd(),
      });
      expect(codes(given)).toEqual(found);
    }
  });

  test.each([
    ['a name without a row', CLUSTAL.replace('QT-LN 9', ''), 'ALIGNMENT_MALFORMED'],
    ['a name twice in a block', STOCKHOLM.replace('\ntwo  ', '\none  '), 'ALIGNMENT_MALFORMED'],
    ['a block without a row', CLUSTAL.replace('two        QT-LN 9\n', ''), 'ALIGNMENT_UNEQUAL'],
  ])('with %s it is refused', (_, text, code) => {
    expect(codes(text)).toEqual([code]);
  });

  test('the rows of a block are identified by name, in any order and with any name', () => {
    const text =
      'CLUSTAL\n\n__proto__ MN-Q\nconstructor MNKQ\n\nconstructor AAAA\n__proto__ CCCC\n';
    const rows = readRows(text, 'Clustal').records;
    expect(rows.map(({ name, residues }) => [name, residues])).toEqual([
      ['__proto__', 'MN-QCCCC'],
      ['constructor', 'MNKQAAAA'],
    ]);
  });
});

const block = fc.string({
  unit: fc.constantFrom(...Array.from('ACDEGKLWX-')),
  minLength: 8,
  maxLength: 8,
});

/** Rows in blocks: files that both GMOD's parsers and ours can read, which are implemented differently. */
const alignment = fc.integer({ min: 1, max: 3 }).chain((blocks) => {
  const row = fc.array(block, { minLength: blocks, maxLength: blocks });
  return fc.array(row, { minLength: 2, maxLength: 5 });
});

function written(rows: readonly (readonly string[])[], first: string, last: string): string {
  const blocks = (rows[0] ?? []).map((_, nth) =>
    rows.map((row, n) => `name${String(n)}   ${row[nth] ?? ''}\n`).join(''),
  );
  return `${first}\n\n${blocks.join('\n')}${last}`;
}

test('reads Stockholm and Clustal files like the parsers of GMOD', () => {
  fc.assert(
    fc.property(alignment, (rows) => {
      const expected = rows.map((row, n) => [`name${String(n)}`, row.join('')]);
      const stockholm = written(rows, '# STOCKHOLM 1.0', '//\n');
      const clustal = written(rows, 'CLUSTAL W', '');
      const gmod = [new StockholmMSA(stockholm, 0), new ClustalMSA(clustal)];
      const ours = [readRows(stockholm, 'Stockholm'), readRows(clustal, 'Clustal')];
      for (const parser of gmod) {
        expect(parser.getNames().map((name) => [name, parser.getRow(name)])).toEqual(expected);
      }
      for (const { records } of ours) {
        expect(records.map(({ name, residues }) => [name, residues])).toEqual(expected);
      }
    }),
    { numRuns: 100 },
  );
});
