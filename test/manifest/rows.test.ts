/** Rows as users write them: formats of tables, columns, options, ids, and jobs that exist already. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { campaignName } from '../../src/manifest/sources.ts';
import { brief, DEMO_SHIFTS, FASTA, onlyItem, placesOf, read } from './manifests.ts';

const CSV = 'id,smiles,title\na,C,"one\ntwo\nthree"\n\n   \nb,CC,x\n,,\nc,CCC,y';

test.each([
  ['t.csv', CSV, 'a 2, b 7, c 9'],
  ['t.csv', CSV.replaceAll('\n', '\r\n'), 'a 2, b 7, c 9'],
  ['t.csv', CSV.replaceAll('\n', '\r'), 'a 2, b 7, c 9'],
  ['t.jsonl', '{"id":"a","smiles":"C"}\r\n\r\n{"id":"b","smiles":"CC"}', 'a 1, b 3'],
  [
    't.json',
    '[\n  {"id": "a", "smiles": "C", "note": "], \\" {"},\n\n  {\n "id": "b", "smiles": "CC"}\n]\n',
    'a 2, b 4',
  ],
  ['t.yaml', '# molecules\n- id: a\n  smiles: C\n\n- id: b\n  smiles: CC\n', 'a 2, b 5'],
  ['t.yml', 'note: x\nitems:\n  - {id: a, smiles: C}\n', 'a 3'],
])('the rows of %s have the lines that an editor shows: %j', async (name, text, expected) => {
  const reading = await read(name, text);
  expect(reading.problems).toEqual([]);
  const places = placesOf(reading).map((place) => place.replace(/ molecule \S+/, ''));
  expect(places.join(', ')).toBe(expected);
});

const JSON_VALUES =
  '{"id":"a","smiles":"C","net_charge":0,"mass":16.040,"code":12345678901234567890,"ok":true,"x":null,"tags":["p","q"],"more":{"k":1}}';
const YAML_VALUES =
  '- id: "0012"\n  smiles: "[NH4+]"\n  net_charge: +1\n  country: no\n  code: 0012\n  mass: 16.040\n  gone: null\n  bare:\n';
test.each([
  ['t.csv', '\uFEFFid,smiles,note\na,C,5" tube\n', { note: '5" tube' }],
  ['t.csv', 'id, smiles ,kind,project\na, CCO , Molecule , north \n', { project: ' north ' }],
  ['t.csv', 'id,smiles,,\na,C,,\n', {}],
  ['t.csv', 'id;smiles;note\na;CCO;"x;y"\n', { note: 'x;y' }],
  ['t.csv', '"id"\t"smiles"\tnote\na\tCCO\tx;y\n', { note: 'x;y' }],
  ['t.csv', 'ID,SMILES,Net_Charge,Project\na,C,0,x\n', { Project: 'x' }],
  ['t.csv', 'id,smiles,formula,size\na,C,x,y\n', { formula: 'x', size: 'y' }],
  [
    't.jsonl',
    JSON_VALUES,
    {
      mass: '16.040',
      code: '12345678901234567890',
      ok: 'true',
      x: '',
      tags: 'p,q',
      more: '{"k":"1"}',
    },
  ],
  ['t.yaml', YAML_VALUES, { country: 'no', code: '0012', mass: '16.040', gone: '', bare: '' }],
])('the columns of the user in %s are kept as they were written: %j', async (name, text, user) => {
  expect((await onlyItem(name, text)).user).toEqual(user);
});

test('a quote that is never closed loses no row before it, however many there are', async () => {
  const before = Array.from({ length: 5_000 }, (_, index) => `i${index},C`);
  const text = ['id,smiles', ...before, 'z,"C', ''].join('\n');
  const { items, problems, rows } = await read('t.csv', text);
  expect([items.length, rows]).toEqual([5_000, 5_001]);
  expect(brief(problems)).toEqual(['MANIFEST_SYNTAX 5002 - -']);
});

describe('options', () => {
  const SEQUENCE = { sequence: 'MNKQQQTALNMARFIRSQSL' };
  const SHIFTS = { file: 'a.str' };
  const ALL = ['dynamine', 'disomine', 'efoldmine', 'agmata'];

  test.each<[Record<string, unknown>, object]>([
    [
      { smiles: 'C' },
      { kind: 'molecule', chargeMethod: 'bcc', netCharge: null, atomType: 'gaff2' },
    ],
    [{ smiles: 'CCO', net_charge: '-0' }, { netCharge: 0 }],
    [{ smiles: 'C[NH3+]', net_charge: '+1' }, { netCharge: 1 }],
    [{ smiles: '[O-]C(=O)CC(=O)[O-]', net_charge: '\u22122' }, { netCharge: -2 }],
    [SEQUENCE, { kind: 'sequence', predictors: ALL }],
    [{ ...SEQUENCE, predictors: 'dynamine; disomine efoldmine;agmata' }, { predictors: ALL }],
    [{ ...SEQUENCE, predictors: ' agmata , psper,,agmata ' }, { predictors: ['agmata', 'psper'] }],
    [{ ...SEQUENCE, predictors: 'DynaMine\tPSPer' }, { predictors: ['dynamine', 'psper'] }],
    [{ ...SEQUENCE, predictors: ';' }, { predictors: ALL }],
    [SHIFTS, { kind: 'shifts', modelClass: '1', originalNumbering: true }],
    [
      { ...SHIFTS, model_class: '2.0', original_numbering: 'No' },
      { modelClass: '2', originalNumbering: false },
    ],
    [
      { ...SHIFTS, model_class: '3', original_numbering: '1.0' },
      { modelClass: '3', originalNumbering: true },
    ],
  ])('of %j are %j', async (row, expected) => {
    const files = { 'a.str': await readFile(DEMO_SHIFTS) };
    const { items } = await read('t.jsonl', JSON.stringify(row), files);
    expect(items.map(({ options }) => options)).toMatchObject([expected]);
  });
});

describe('an id', () => {
  const NAMES = `${'x'.repeat(80)}.fasta`;
  test.each<[string, string, readonly string[]]>([
    [
      'may be',
      `id,smiles\n-,C\nA.b_c-9,C\n${'x'.repeat(64)},C\n`,
      ['-', 'A.b_c-9', 'x'.repeat(64)],
    ],
    [
      'is derived from the name of the file, or from the line',
      'file,smiles\nin/a protein (1).fasta,\n,C\nin/.b.fasta,\n',
      ['a_protein_1_', 'row-3', 'b'],
    ],
    [
      'that is generated gets a number if it is in use, ignoring case',
      'id,file\nx,x.fasta\n,in/x.fasta\n,in/X.fasta\n',
      ['x', 'x-2', 'X-3'],
    ],
    [
      'of 64 characters is shortened for the number',
      `file\n${NAMES}\nin/${NAMES}\n`,
      ['x'.repeat(64), `${'x'.repeat(62)}-2`],
    ],
  ])('%s', async (_, text, ids) => {
    const files = ['x', 'in/x', 'in/X', 'in/a protein (1)', 'in/.b'].map((name) => `${name}.fasta`);
    const contents = [...files, NAMES, `in/${NAMES}`].map((name) => [name, FASTA]);
    const { items, problems } = await read('manifest.csv', text, Object.fromEntries(contents));
    expect(problems).toEqual([]);
    expect(items.map(({ id }) => id)).toEqual(ids);
  });

  test.each(['.', '..', '.hidden', 'a/b', 'a b', 'ä', 'a\\b', 'x'.repeat(65), 'a\u200bb'])(
    'may not be %j',
    async (id) => {
      const { problems, items } = await read('manifest.csv', `id,smiles\n${id},C\n`);
      expect(problems.map(({ code }) => code)).toEqual(['MANIFEST_ID_INVALID']);
      expect(items).toEqual([]);
    },
  );
});

describe('the name of a campaign', () => {
  test.each([
    ['batches/demo/', 'demo'],
    ['batches/demo/manifest.csv.gz', 'demo'],
    ['my molecules (v2).jsonl', 'my-molecules-v2'],
    ['données.yaml', 'donnees'],
    ['分子.csv', '分子'],
    ['が 2.smi', 'が-2'],
    [`${'x'.repeat(100)}.csv`, 'x'.repeat(64)],
  ])('of %j is %s', (source, name) => {
    expect(campaignName([source, 'b.csv'])).toBe(name);
  });
});

describe('a row with a remote_id', () => {
  const JOB = '3f1c2a9e-5d0b-4c57-9a55-0d8f5f3c9b11';

  test('needs no input: a file with the id of the job replaces it', async () => {
    const item = await onlyItem('m.csv', `id;kind;remote_id;project\na;sequence;${JOB};x\n`);
    expect(item).toMatchObject({
      id: 'a',
      kind: 'sequence',
      user: { project: 'x' },
      adopts: { remoteId: JOB, inputKnown: false },
      input: { name: 'adopted.txt' },
    });
    expect(item.input.text).toContain(JOB);
    expect(await onlyItem('m.csv', 'smiles,remote_id\nCCO,\n')).not.toHaveProperty('adopts');
  });

  test.each(['../queue', 'a/b', '..', 'https://host/api/queue/x/', 'two words', 'x'.repeat(201)])(
    'is refused with the id %j, which would lead to another address',
    async (id) => {
      const { items, problems } = await read('m.csv', `id,kind,remote_id\na,molecule,${id}\n`);
      expect(items).toEqual([]);
      expect(problems).toMatchObject([{ code: 'MANIFEST_REMOTE_ID_INVALID', column: 'remote_id' }]);
    },
  );
});
