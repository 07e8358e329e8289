/** Manifests that are too large or hostile for the golden of problems (test/goldens/invalid.txt), and its completeness. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { modulesBelow } from '../../scripts/imports.ts';
import { BATCHES, brief, folderWith, read, readManifests } from './manifests.ts';

/** As they stand in the code; one is told when the tree of the campaign is known: test/runner/survey.test.ts. */
const CODES = [
  'MANIFEST_ROW_CHANGED',
  ...new Set(
    ['src/kinds', 'src/manifest']
      .flatMap((folder) => modulesBelow(path.join(import.meta.dirname, '../..'), folder))
      .flatMap(({ text }) => [
        ...text.matchAll(/'((?:MANIFEST|SMILES|MOLECULE|SEQUENCE|ALIGNMENT|SHIFTS)_\w+)'/g),
      ])
      .map(([, code = '']) => code),
  ),
];

test('rows of batches/invalid have the codes of their column `expect`; those with warnings only are items', async () => {
  const { items, problems, rows } = await readManifests([path.join(BATCHES, 'invalid')]);
  for (const { id, user } of items) {
    const codes = problems.filter((one) => one.id === id).map(({ code }) => code);
    if (user['expect'] !== '') expect([...new Set(codes)]).toEqual([user['expect']]);
  }
  const errors = problems.filter(({ severity }) => severity === 'error');
  const refused = new Set(errors.map(({ line }) => line));
  expect([rows, items.length]).toEqual([85, 85 - refused.size]);
});

test('truncated gzip is reported', async () => {
  const whole = gzipSync('id,smiles\na,C\n');
  const { problems } = await read('t.csv.gz', whole.subarray(0, whole.length - 10));
  expect(problems.map(({ code }) => code)).toEqual(['MANIFEST_GZIP']);
});

const swollen = gzipSync(Buffer.alloc(64_000_000, 'C'), { level: 9 });
const deep = '['.repeat(200_000);
const nested = `{"x":${deep}${']'.repeat(200_000)}}`;
const wide = Array.from({ length: 20_000 }, (_, at) => `c${at}`).join(',');
const endless = (start: string) =>
  Buffer.concat([Buffer.from(start), Buffer.alloc(36_000_000, 'x')]);

test.each<[string, string | Uint8Array, number, string, string]>([
  ['wide.csv', `smiles,${wide}\nC\n`, 0, 'MANIFEST_COLUMNS_TOO_MANY 1 - -', ''],
  ['t.csv', `id,smiles\na,C${',x'.repeat(100_000)}\nb,C\n`, 1, 'MANIFEST_ROW_LONG 2', '100002'],
  ['big.yaml', '# a long comment\n'.repeat(1_000_000), 0, 'MANIFEST_TOO_LARGE - - -', ''],
  ['deep.jsonl', `${nested}\n{"smiles":"C"}\n`, 1, 'MANIFEST_SYNTAX 1', 'nested too deeply'],
  ['deep.json', `[${nested},{"smiles":"C"}]`, 0, 'MANIFEST_SYNTAX', 'nested too deeply'],
  ['endless.csv', endless('id,smiles\na,C\nb,'), 1, 'MANIFEST_FILE_TOO_LARGE 3', '16 MB'],
  ['endless.jsonl', endless('"'), 0, 'MANIFEST_SYNTAX 1', 'Unterminated'],
  ['endless.json', endless('[1,"'), 0, 'MANIFEST_TOO_LARGE', '16 MB'],
  ['b.fasta.gz', swollen, 0, 'MANIFEST_', ''],
  ['b.pdb.gz', swollen, 0, 'MANIFEST_', ''],
])('%s is refused without filling the memory, and only where it is hostile', async (...given) => {
  const [name, content, items, problem, words] = given;
  const reading = await read(name, content);
  expect(reading.items).toHaveLength(items);
  const { problems } = reading;
  expect(brief(problems).at(-1)).toContain(problem);
  expect(problems.at(-1)?.message).toContain(words);
  expect(problems.at(-1)?.severity).toBe('error');
});

test('deep YAML is reported', async () => {
  const { problems } = await read('deep.yaml', `- smiles: C\n  x: ${deep}`);
  expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['MANIFEST_SYNTAX']));
  expect(problems.length).toBeLessThanOrEqual(10);
});

test('too many rows are refused', async () => {
  const folder = await folderWith({ 'a.smi': 'C\n'.repeat(100_001) });
  const { problems, rows } = await readManifests([folder]);
  expect(rows).toBe(100_000);
  expect(brief(problems)).toEqual(['MANIFEST_ROWS_TOO_MANY - - -']);
  expect(problems[0]?.remedy).toContain('split -l');
});

test('a file of more than 16 MB is not read, also if it is smaller when it is packed', async () => {
  const files = { 'big.pdb': Buffer.alloc(16_000_001, 'x'), 'b.pdb.gz': swollen };
  const { problems } = await read('manifest.csv', 'id,file\na,big.pdb\nb,b.pdb.gz\n', files);
  expect(brief(problems)).toEqual([
    'MANIFEST_FILE_TOO_LARGE 2 file big.pdb',
    'MANIFEST_FILE_TOO_LARGE 3 file b.pdb.gz',
  ]);
});

test('a quote that is never closed loses no row before it, however many there are', async () => {
  const before = Array.from({ length: 5_000 }, (_, index) => `i${index},C`);
  const text = ['id,smiles', ...before, 'z,"C', ''].join('\n');
  const { items, problems, rows } = await read('t.csv', text);
  expect([items.length, rows]).toEqual([5_000, 5_001]);
  expect(brief(problems)).toEqual(['MANIFEST_SYNTAX 5002 - -']);
});

test('a large FASTA file is detected as an alignment from its first part; later records must match', async () => {
  const text = `>s\n${'MNKQ-'.repeat(60)}\n`.repeat(5_000);
  const { problems, kinds } = await read('large.afa', `${text}>odd\nMNKQ\n`);
  expect(kinds['alignment']).toBe(1);
  expect(problems.map(({ code }) => code)).toContain('ALIGNMENT_UNEQUAL');
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

test.each([
  ['x.fasta', '>a\nMNKQQQTALN\n>b\n', 'MNKQQQTALN\n', 3],
  ['l.sdf', `a${WATER}$$$$\n> <x>\n`, 'MNKQQQTALN\n', 12],
])('an endless record of %s is refused at that record', async (name, begin, more, line) => {
  const { items, problems } = await read(name, begin + more.repeat(1_600_000));
  expect(items.map(({ id }) => id)).toEqual(['a']);
  expect(brief(problems)).toEqual([`MANIFEST_FILE_TOO_LARGE ${line} file ${name}`]);
  expect(problems[0]?.message).toContain('16 MB');
});

test('every code has a case in the golden of problems, or a test of its own', async () => {
  const golden = await readFile(path.join(BATCHES, '..', 'test/goldens/invalid.txt'), 'utf8');
  const found = [...golden.matchAll(/^ {2}(?:error|warning) (\w+)/gm)].map(([, code]) => code);
  const inGolden = new Set(found);
  expect(CODES.filter((code) => !inGolden.has(code)).sort()).toEqual([
    'MANIFEST_COLUMNS_TOO_MANY',
    'MANIFEST_FILE_TOO_LARGE',
    'MANIFEST_GZIP',
    'MANIFEST_ROWS_TOO_MANY',
    'MANIFEST_ROW_CHANGED',
    'MANIFEST_TOO_LARGE',
    // RDKit takes its 10 s twice: test/inputs/smiles.test.ts.
    'SMILES_UNANSWERED',
  ]);
});

test('docs/manifest-checks.md lists exactly the codes of the registry', async () => {
  const text = await readFile(path.join(BATCHES, '..', 'docs', 'manifest-checks.md'), 'utf8');
  const cells = [...text.matchAll(/^\| (`[A-Z][^|]*) \|/gm)].map(([, cell = '']) => cell);
  const listed = cells.flatMap((cell) => cell.replaceAll('`', '').split(', '));
  expect(listed.toSorted()).toEqual(CODES.toSorted());
});
