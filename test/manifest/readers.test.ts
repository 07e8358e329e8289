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

  test('a quote that includes the next row is reported', async () => {
    const { problems } = await read('t.csv', 'id,smiles\na,"C\nb,"CC"\nc,CCC\n');
    expect(problems.map(({ code }) => code)).toContain('MANIFEST_ROW_QUOTES');
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

  test('an unquoted comma in `predictors` is reported, and not read as the next column', async () => {
    const { problems, items } = await read(
      't.csv',
      'id,sequence,predictors,title\na,MNKQQQTALN,dynamine,agmata,Title\n',
    );
    expect(items).toEqual([]);
    expect(problems.map(({ code }) => code)).toEqual(['MANIFEST_ROW_LONG']);
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

  test('one broken line does not hide the others', async () => {
    const reading = await read('t.jsonl', '{"smiles":"C"}\n{oops}\n{"smiles":"CC"}\n');
    expect(lines(reading)).toEqual(['row-1 1', 'row-3 3']);
    expect(brief(reading.problems)).toEqual(['MANIFEST_SYNTAX 2 - {oops}']);
    expect(reading.rows).toBe(3);
  });
});

describe('JSON', () => {
  test('every element has its line, despite brackets and commas in texts', async () => {
    const text =
      '[\n  {"id": "a", "smiles": "C", "note": "], \\" {"},\n\n  {\n "id": "b", "smiles": "CC"}\n]\n';
    expect(lines(await read('t.json', text))).toEqual(['a 2', 'b 4']);
  });

  test('one broken element does not hide the others', async () => {
    const reading = await read('t.json', '[{"smiles":"C"},\n {"smiles":C},\n {"smiles":"CC"},\n]');
    expect(lines(reading)).toEqual(['row-1 1', 'row-3 3']);
    expect(reading.problems.map(({ code, line }) => `${code} ${String(line)}`)).toEqual([
      'MANIFEST_SYNTAX 2',
      'MANIFEST_SYNTAX 4',
    ]);
  });

  test.each([
    ['{"items": []}', 'array of objects'],
    ['[{"smiles":"C"}', 'never closed'],
    ['[{"smiles":"C"}, {"smi', 'never closed'],
    ['[{"smiles":"C"}] [', 'after the array'],
    ['"C"', 'array of objects'],
  ])('%s is reported', async (text, reason) => {
    const { problems } = await read('t.json', text);
    expect(problems.map(({ code }) => code)).toEqual(['MANIFEST_SYNTAX']);
    expect(problems[0]?.message).toContain(reason);
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

  test.each([
    ['- id: a\n  smiles: "C\n', 1],
    ['- id: a\n- id: "b\n\n', 2],
    ['- smiles: *CC\n', 1],
    ['smiles: C\n', 1],
    ['- smiles: C\n---\n- smiles: C\n', 2],
    ['- {smiles: C, smiles: CC}\n', 1],
  ])('%j is reported', async (text, line) => {
    const { problems, items } = await read('t.yaml', text);
    expect(items).toEqual([]);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]).toMatchObject({ code: 'MANIFEST_SYNTAX' });
    expect(problems[0]?.line).toBeGreaterThanOrEqual(line);
  });

  test('anchors that expand exponentially are refused', async () => {
    const levels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const bomb = levels.map((name, index) => {
      const before = levels[index - 1];
      const list =
        before === undefined ? 'x' : Array.from({ length: 9 }, () => `*${before}`).join(', ');
      return `${name}: &${name} [${list}]`;
    });
    const { problems } = await read(
      't.yaml',
      `${bomb.join('\n')}\nitems:\n  - {smiles: C, x: *h}\n`,
    );
    expect(problems.map(({ code }) => code)).toEqual(['MANIFEST_SYNTAX']);
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

  test('twice is refused', async () => {
    const { problems } = await read('t.csv', 'id,Smiles,SMILES\na,C,CC\n');
    expect(brief(problems)).toEqual(['MANIFEST_COLUMN_REPEATED 1 smiles smiles']);
  });
});

describe('a column name of another program', () => {
  test.each([
    ['structure,id', 'structure', 'smiles'],
    ['seq', 'seq', 'sequence'],
    ['filename', 'filename', 'file'],
  ])('%s: our name is suggested', async (header, column, meant) => {
    const { problems } = await read('t.csv', `${header}\nx\n`);
    const typo = problems.find(({ code }) => code === 'MANIFEST_COLUMN_TYPO');
    expect(typo).toMatchObject({ column });
    expect(typo?.remedy).toContain(`\`${meant}\``);
  });
});

describe('a column that is probably misspelt', () => {
  test.each([
    ['smlies', 'smiles'],
    ['net charge', 'net_charge'],
    ['net-charge', 'net_charge'],
    ['netcharge', 'net_charge'],
    ['predictor', 'predictors'],
    ['orignal_numbering', 'original_numbering'],
    ['compound_id', 'id'],
    ['name', 'id'],
    ['Charge', 'net_charge'],
  ])('%s: did you mean %s?', async (column, meant) => {
    const { problems } = await read('t.csv', `file,${column}\n`);
    const typo = problems.find(({ code }) => code === 'MANIFEST_COLUMN_TYPO');
    expect(typo).toMatchObject({ severity: 'warning', line: 1, column });
    expect(typo?.remedy).toContain(`\`${meant}\``);
  });

  test.each(['project', 'supplier_code', 'formula', 'series', 'pi', 'name', 'size'])(
    '%s is a column of the user',
    async (column) => {
      const { problems } = await read('t.csv', `id,smiles,${column}\na,C,x\n`);
      expect(problems).toEqual([]);
    },
  );

  test('is reported once in JSONL, at the first row with it', async () => {
    const { problems } = await read(
      't.jsonl',
      '{"smiles":"C"}\n{"smiles":"C","titel":"x"}\n{"smiles":"C","titel":"y"}\n',
    );
    expect(brief(problems)).toEqual(['MANIFEST_COLUMN_TYPO 2 titel titel']);
  });
});

test.each([
  ['semicolons', 'id;smiles;note\na;CCO;"x;y"\n'],
  ['tabs', 'id\tsmiles\tnote\na\tCCO\tx;y\n'],
  ['semicolons, and the header in quotes', '"id";"smiles";"note"\na;CCO;"x;y"\n'],
])('a .csv may be written with %s', async (_, text) => {
  const { items } = await read('table.csv', text);
  expect(items.map(({ row }) => row)).toEqual([{ id: 'a', smiles: 'CCO', note: 'x;y' }]);
});
