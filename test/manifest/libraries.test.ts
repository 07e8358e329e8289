/** Files with several inputs: SMILES files, FASTA files, SD files. */
import { describe, expect, test } from 'vitest';
import { brief, type ManifestReading, read } from './manifests.ts';

function rows({ items }: ManifestReading): unknown[] {
  return items.map(({ id, kind, source, input }) => [id, kind, source.line, input.text]);
}

const usersOf = ({ items }: ManifestReading) => items.map(({ user }) => user);

describe('a SMILES file', () => {
  test('has a molecule per line, with its name after a blank or tab, and may start with a header', async () => {
    for (const header of ['# my library', 'SMILES Name', 'smiles\tzinc_id', 'canonical_smiles']) {
      const reading = await read(
        'library.smi',
        `${header}\r\nCCO ethanol\r\n\r\nC\tZINC.123\tin stock\r\n  CC  ethane (gas)  \r\n`,
      );
      expect(reading.problems).toEqual([]);
      expect(rows(reading)).toEqual([
        ['ethanol', 'molecule', 2, 'CCO'],
        ['ZINC.123', 'molecule', 4, 'C'],
        ['ethane_gas_', 'molecule', 5, 'CC'],
      ]);
      const names = ['ethanol', 'ZINC.123\tin stock', 'ethane (gas)'];
      expect(usersOf(reading)).toEqual(names.map((name) => ({ name })));
    }
  });

  test('numbers unnamed molecules, and those with a name that is taken', async () => {
    const { items } = await read('lib.smi', 'C\nCC LIG\nCCC LIG\nCCCC\n');
    expect(items.map(({ id }) => id)).toEqual(['lib-1', 'LIG', 'LIG-2', 'lib-4']);
  });
});

describe('a FASTA file', () => {
  const ALIGNED = '>a\nMN-QQQTALN\n>b\nMNKQQQ-ALN\n';
  test.each([
    [
      'proteome.fasta',
      '\n>sp|P1|ONE first\nMNKQQQ\nTALN\n\n>two\r\nMARFIRSQSL\r\n>two\nMNKQQQTALNMA',
      [
        ['sp_P1_ONE', 'sequence', 2, '>sp|P1|ONE first\nMNKQQQ\nTALN\n'],
        ['two', 'sequence', 6, '>two\nMARFIRSQSL\n'],
        ['two-2', 'sequence', 8, '>two\nMNKQQQTALNMA\n'],
      ],
    ],
    ['1abc.fa', '>chain A\nMNKQQQTALN\n', [['1abc', 'sequence', 1, '>chain A\nMNKQQQTALN\n']]],
    ['family.fasta', ALIGNED, [['family', 'alignment', 1, ALIGNED]]],
    [
      // Of equal lengths, but without a gap.
      'two.fasta',
      '>a\nMNKQQQTALN\n>b\nMNKQQQAALN\n',
      [
        ['a', 'sequence', 1, '>a\nMNKQQQTALN\n'],
        ['b', 'sequence', 3, '>b\nMNKQQQAALN\n'],
      ],
    ],
  ])('%s has a sequence per record, or is one alignment', async (name, text, expected) => {
    const reading = await read(name, text);
    expect(reading.problems).toEqual([]);
    expect(rows(reading)).toEqual(expected);
  });

  test('is detected as an alignment from its first part; later records must match', async () => {
    const text = `>s\n${'MNKQ-'.repeat(60)}\n`.repeat(5_000);
    const { problems, kinds } = await read('large.afa', `${text}>odd\nMNKQ\n`);
    expect(kinds['alignment']).toBe(1);
    expect(problems.map(({ code }) => code)).toContain('ALIGNMENT_UNEQUAL');
  });
});

const WATER = `
  comment

  3  2  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 O   0  0
    0.9600    0.0000    0.0000 H   0  0
   -0.2400    0.9300    0.0000 H   0  0
  1  2  1  0
  1  3  1  0
M  END
`;

describe('an SD file', () => {
  test('has a molecule per record, its title as name and its data as columns', async () => {
    const library = [
      `ZINC.1${WATER}>  <MELTING.POINT>  (1)\n0.0\n\n> <Note>\ntwo\nlines\n\n> <SMILES>\nO\n\n$$$$\n`,
      `${WATER}> <net_charge>\n7\n\n> <__proto__>\nx\n\n$$$$\n`,
      `ZINC.1${WATER}$$$$\n`,
    ];
    const reading = await read('library.sdf', library.join(''));
    expect(reading.problems).toEqual([]);
    expect(rows(reading)).toEqual([
      ['ZINC.1', 'molecule', 1, `ZINC.1${WATER}$$$$\n`],
      ['library-2', 'molecule', 22, `${WATER}$$$$\n`],
      ['ZINC.1-2', 'molecule', 39, `ZINC.1${WATER}$$$$\n`],
    ]);
    expect(usersOf(reading).map((user) => JSON.stringify(user))).toEqual([
      '{"name":"ZINC.1","MELTING.POINT":"0.0","Note":"two\\nlines","sdf_SMILES":"O"}',
      '{"sdf_net_charge":"7","__proto__":"x"}',
      '{"name":"ZINC.1"}',
    ]);
    expect(reading.items[1]?.options).toMatchObject({ netCharge: null });
  });

  test("of one record gets the name of the file, with or without the record's end", async () => {
    for (const end of ['$$$$\n', '', '\n\n', '$$$$\n\n\n']) {
      const reading = await read('lig.sdf', `title${WATER}${end}`);
      expect(rows(reading)).toEqual([['lig', 'molecule', 1, `title${WATER}$$$$\n`]]);
    }
  });
});

test.each([
  ['x.fasta', '>a\nMNKQQQTALN\n>b\n', 'MNKQQQTALN\n', 3],
  ['l.sdf', `a${WATER}$$$$\n> <x>\n`, 'MNKQQQTALN\n', 12],
])('an endless record of %s is refused at that record', async (name, begin, more, line) => {
  const { items, problems } = await read(name, begin + more.repeat(1_600_000));
  expect(items.map(({ id }) => id)).toEqual(['a']);
  expect(brief(problems)).toEqual([`MANIFEST_SYNTAX ${line} - -`]);
  expect(problems[0]?.message).toContain('16 MB');
});
