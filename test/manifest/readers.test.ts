import { describe, expect, test } from 'vitest';
import type { ManifestReading } from './read-all.ts';
import { brief, onlyItem, read } from './manifests.ts';

function lines({ items }: ManifestReading): string[] {
  return items.map((item) => `${item.id} ${String(item.source.line)}`);
}

describe('CSV', () => {
  test.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('lines are numbered as in an editor: quoted breaks, blank lines, %s', async (_, end) => {
    const rows = [
      'id,smiles,title',
      'a,C,"one',
      'two',
      'three"',
      '',
      '   ',
      'b,CC,x',
      ',,',
      'c,CCC,y',
    ];
    const reading = await read('table.csv', rows.join(end));
    expect(reading.problems).toEqual([]);
    expect(lines(reading)).toEqual(['a 2', 'b 7', 'c 9']);
    expect(reading.items[0]?.title).toBe(['one', 'two', 'three'].join(end));
    expect(reading.rows).toBe(3);
  });

  test('a byte order mark is not part of the first column', async () => {
    expect((await onlyItem('table.csv', '\uFEFFid,smiles\nethanol,CCO\n')).id).toBe('ethanol');
  });

  test('a lone quote inside a cell is kept: 5" is an inch', async () => {
    expect((await onlyItem('t.csv', 'id,smiles,note\na,C,5" tube\n')).user).toEqual({
      note: '5" tube',
    });
  });

  test('a quote that is never closed loses no row before it, however many there are', async () => {
    const before = Array.from({ length: 5_000 }, (_, index) => `i${String(index)},C`);
    const { items, problems, rows } = await read(
      't.csv',
      ['id,smiles', ...before, 'z,"C', ''].join('\n'),
    );
    expect([items.length, rows]).toEqual([5_000, 5_001]);
    expect(brief(problems)).toEqual(['MANIFEST_SYNTAX 5002 - -']);
  });

  test('empty columns at the end, as spreadsheets write them, are ignored', async () => {
    const { items, problems } = await read('t.csv', 'id,smiles,,\na,C,,\nb,CC,,\n');
    expect(problems).toEqual([]);
    expect(items.map((item) => item.row)).toEqual([
      { id: 'a', smiles: 'C' },
      { id: 'b', smiles: 'CC' },
    ]);
  });

  test('the row is returned as it was written, including blanks', async () => {
    const item = await onlyItem('t.csv', 'id, smiles ,kind,project\na, CCO , Molecule , north \n');
    expect(item.row).toEqual({ id: 'a', smiles: ' CCO ', kind: ' Molecule ', project: ' north ' });
    expect([item.input.text, item.kind]).toEqual(['CCO', 'molecule']);
    expect(item.user).toEqual({ project: ' north ' });
  });
});

test('TSV is separated by tabs, and commas have no meaning in it', async () => {
  const item = await onlyItem(
    't.tsv',
    'id\tsequence\tpredictors\na\tMNKQQQTALN\tdynamine,agmata\n',
  );
  expect(item.options).toMatchObject({ predictors: ['dynamine', 'agmata'] });
});

describe('JSONL', () => {
  test('every line is a row, except blank lines', async () => {
    const reading = await read(
      't.jsonl',
      '{"id":"a","smiles":"C"}\r\n\r\n{"id":"b","smiles":"CC"}',
    );
    expect(lines(reading)).toEqual(['a 1', 'b 3']);
  });

  test('numbers, booleans, null and lists become the text that was written', async () => {
    const text =
      '{"id":"a","smiles":"C","net_charge":0,"mass":16.040,"code":12345678901234567890,"ok":true,"x":null,"tags":["p","q"],"more":{"k":1}}';
    const item = await onlyItem('t.jsonl', text);
    expect(item.options).toMatchObject({ netCharge: 0 });
    expect(item.user).toEqual({
      mass: '16.040',
      code: '12345678901234567890',
      ok: 'true',
      x: '',
      tags: 'p,q',
      more: '{"k":"1"}',
    });
  });
});

describe('JSON', () => {
  test('every element has its line, despite brackets and commas in texts', async () => {
    const text =
      '[\n  {"id": "a", "smiles": "C", "note": "], \\" {"},\n\n  {\n "id": "b", "smiles": "CC"}\n]\n';
    expect(lines(await read('t.json', text))).toEqual(['a 2', 'b 4']);
  });
});

describe('YAML', () => {
  test('a list, or a mapping with `items`; every row has its line', async () => {
    const list = '# molecules\n- id: a\n  smiles: C\n\n- id: b\n  smiles: CC\n';
    expect(lines(await read('t.yaml', list))).toEqual(['a 2', 'b 5']);
    expect(lines(await read('t.yml', 'note: x\nitems:\n  - {id: a, smiles: C}\n'))).toEqual([
      'a 3',
    ]);
  });

  test('values keep their notation: `no`, `0012` and `16.040` are text', async () => {
    const item = await onlyItem(
      't.yaml',
      '- id: "0012"\n  smiles: "[NH4+]"\n  net_charge: +1\n  country: no\n  code: 0012\n  mass: 16.040\n  gone: null\n  bare:\n',
    );
    expect(item.id).toBe('0012');
    expect(item.options).toMatchObject({ netCharge: 1 });
    expect(item.user).toEqual({ country: 'no', code: '0012', mass: '16.040', gone: '', bare: '' });
  });

  test('block texts hold FASTA, lists hold predictors', async () => {
    const text =
      '- id: a\n  sequence: |\n    >one\n    MNKQQQTALN\n  predictors: [dynamine, agmata]\n';
    const item = await onlyItem('t.yaml', text);
    expect(item.input.text).toBe('>one\nMNKQQQTALN');
    expect(item.options).toMatchObject({ predictors: ['dynamine', 'agmata'] });
  });
});

describe('a column name in another case', () => {
  test('is accepted', async () => {
    const item = await onlyItem('t.csv', 'ID,SMILES,Net_Charge,Project\na,C,0,x\n');
    expect([item.id, item.options]).toMatchObject(['a', { netCharge: 0 }]);
    expect(item.row).toEqual({ id: 'a', smiles: 'C', net_charge: '0', Project: 'x' });
    expect((await onlyItem('t.jsonl', '{"Id":"a","SMILES":"C"}')).id).toBe('a');
  });

  test('is a column of the user if the exact name is also present', async () => {
    const { items, problems } = await read('t.csv', 'id,smiles,SMILES\na,C,CC\n');
    expect(items.map(({ input, user }) => [input.text, user])).toEqual([['C', { SMILES: 'CC' }]]);
    expect(brief(problems)).toEqual(['MANIFEST_COLUMN_TYPO 1 SMILES SMILES']);
  });
});

describe('a column that is probably misspelt', () => {
  test.each(['project', 'supplier_code', 'formula', 'series', 'pi', 'name', 'size'])(
    '%s is a column of the user',
    async (column) => {
      const { problems } = await read('t.csv', `id,smiles,${column}\na,C,x\n`);
      expect(problems).toEqual([]);
    },
  );
});

test.each([
  ['semicolons', 'id;smiles;note\na;CCO;"x;y"\n'],
  ['tabs', 'id\tsmiles\tnote\na\tCCO\tx;y\n'],
  ['semicolons, and the header in quotes', '"id";"smiles";"note"\na;CCO;"x;y"\n'],
])('a .csv may be written with %s', async (_, text) => {
  const { items } = await read('table.csv', text);
  expect(items.map(({ row }) => row)).toEqual([{ id: 'a', smiles: 'CCO', note: 'x;y' }]);
});
