/** Files with several inputs: SMILES files, FASTA files, SD files. */
import { describe, expect, test } from 'vitest';
import type { ManifestReading } from './read-all.ts';
import { brief, read } from './manifests.ts';

function rows({ items }: ManifestReading): unknown[] {
  return items.map(({ id, kind, source, input }) => [id, kind, source.line, input.text]);
}

describe('a SMILES file', () => {
  test('has a molecule per line, with its name after a blank or tab', async () => {
    const reading = await read(
      'library.smi',
      '# my library\r\nCCO ethanol\r\n\r\nC\tZINC.123\tin stock\r\n  CC  ethane (gas)  \r\n',
    );
    expect(reading.problems).toEqual([]);
    expect(rows(reading)).toEqual([
      ['ethanol', 'molecule', 2, 'CCO'],
      ['ZINC.123', 'molecule', 4, 'C'],
      ['ethane_gas_', 'molecule', 5, 'CC'],
    ]);
    expect(reading.items.map(({ user }) => user)).toEqual([
      { name: 'ethanol' },
      { name: 'ZINC.123\tin stock' },
      { name: 'ethane (gas)' },
    ]);
  });

  test.each(['SMILES Name', 'smiles\tzinc_id', 'canonical_smiles', 'SMILES'])(
    'may start with the header %j',
    async (header) => {
      expect(rows(await read('a.smiles', `${header}\nC x\n`))).toEqual([['x', 'molecule', 2, 'C']]);
    },
  );

  test('numbers unnamed molecules, and those with a name that is taken', async () => {
    const { items } = await read('lib.smi', 'C\nCC LIG\nCCC LIG\nCCCC\n');
    expect(items.map(({ id }) => id)).toEqual(['lib-1', 'LIG', 'LIG-2', 'lib-4']);
  });
});

describe('a FASTA file', () => {
  test('of several records has a sequence per record', async () => {
    const text = '\n>sp|P1|ONE first\nMNKQQQ\nTALN\n\n>two\r\nMARFIRSQSL\r\n>two\nMNKQQQTALNMA';
    const reading = await read('proteome.fasta', text);
    expect(reading.problems).toEqual([]);
    expect(rows(reading)).toEqual([
      ['sp_P1_ONE', 'sequence', 2, '>sp|P1|ONE first\nMNKQQQ\nTALN\n'],
      ['two', 'sequence', 6, '>two\nMARFIRSQSL\n'],
      ['two-2', 'sequence', 8, '>two\nMNKQQQTALNMA\n'],
    ]);
    expect(reading.items[0]?.user).toEqual({ name: 'sp|P1|ONE first' });
  });

  test('of one record gets the name of the file', async () => {
    const reading = await read('1abc.fa', '>chain A\nMNKQQQTALN\n');
    expect(rows(reading)).toEqual([['1abc', 'sequence', 1, '>chain A\nMNKQQQTALN\n']]);
  });

  test('without a header is one sequence', async () => {
    expect((await read('plain.fasta', 'MNKQQQTALN\n')).items[0]?.input.text).toContain(
      'MNKQQQTALN',
    );
  });

  test('that is clearly aligned is one alignment', async () => {
    const text = '>a\nMN-QQQTALN\n>b\nMNKQQQ-ALN\n';
    expect(rows(await read('family.fasta', text))).toEqual([['family', 'alignment', 1, text]]);
  });

  test('is detected as an alignment from its first part', async () => {
    const row = (at: number) => `>s${String(at)}\n${'MNKQ-'.repeat(60)}\n`;
    const text = Array.from({ length: 5_000 }, (_, at) => row(at)).join('');
    const reading = await read('large.afa', text);
    expect(reading.items.map(({ kind, input }) => [kind, input.text.length])).toEqual([
      ['alignment', text.length],
    ]);
    // Later records must match.
    const { problems } = await read('large.afa', `${text}>odd\nMNKQ\n`);
    expect(problems.map(({ code }) => code)).toContain('ALIGNMENT_UNEQUAL');
  });

  test('of equal lengths without a gap is not an alignment', async () => {
    const { items } = await read('two.fasta', '>a\nMNKQQQTALN\n>b\nMNKQQQAALN\n');
    expect(items.map(({ kind }) => kind)).toEqual(['sequence', 'sequence']);
  });

  test('with an endless record is refused at that record', async () => {
    const endless = `>a\nMNKQQQTALN\n>b\n${'MNKQQQTALN\n'.repeat(1_600_000)}`;
    const { items, problems } = await read('x.fasta', endless);
    expect(items.map(({ id }) => id)).toEqual(['a']);
    expect(brief(problems)).toEqual(['MANIFEST_SYNTAX 3 - -']);
    expect(problems[0]?.message).toContain('16 MB');
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
  const library = [
    `ZINC.1${WATER}>  <MELTING.POINT>  (1)\n0.0\n\n> <Note>\ntwo\nlines\n\n> <SMILES>\nO\n\n$$$$\n`,
    `${WATER}> <net_charge>\n7\n\n> <__proto__>\nx\n\n$$$$\n`,
    `ZINC.1${WATER}$$$$\n`,
  ].join('');

  test('has a molecule per record, its title as name and its data as columns', async () => {
    const reading = await read('library.sdf', library);
    expect(reading.problems).toEqual([]);
    expect(rows(reading)).toEqual([
      ['ZINC.1', 'molecule', 1, `ZINC.1${WATER}$$$$\n`],
      ['library-2', 'molecule', 22, `${WATER}$$$$\n`],
      ['ZINC.1-2', 'molecule', 39, `ZINC.1${WATER}$$$$\n`],
    ]);
    expect(reading.items.map(({ user }) => Object.entries(user))).toEqual([
      [
        ['name', 'ZINC.1'],
        ['MELTING.POINT', '0.0'],
        ['Note', 'two\nlines'],
        ['sdf_SMILES', 'O'],
      ],
      [
        ['sdf_net_charge', '7'],
        ['__proto__', 'x'],
      ],
      [['name', 'ZINC.1']],
    ]);
    expect(reading.items[0]?.row['file']).toBe('library.sdf');
    expect(reading.items[1]?.options).toMatchObject({ netCharge: null });
  });

  test("of one record gets the name of the file, with or without the record's end", async () => {
    for (const end of ['$$$$\n', '', '\n\n', '$$$$\n\n\n']) {
      const reading = await read('lig.sdf', `title${WATER}${end}`);
      expect(rows(reading)).toEqual([['lig', 'molecule', 1, `title${WATER}$$$$\n`]]);
    }
  });

  test('with an endless record is refused at that record', async () => {
    const endless = `a${WATER}$$$$\n> <x>\n${'data\n'.repeat(3_300_000)}`;
    const { items, problems } = await read('l.sdf', endless);
    expect(items.map(({ id }) => id)).toEqual(['a']);
    expect(brief(problems)).toEqual(['MANIFEST_SYNTAX 12 - -']);
  });
});
