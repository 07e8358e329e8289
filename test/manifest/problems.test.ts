import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/domain/problem.ts';
import { PROBLEMS } from '../../src/manifest/problems/problems.ts';
import { readManifests } from './read-all.ts';
import { BATCHES, brief, folderWith, read } from './manifests.ts';

const INVALID = path.join(BATCHES, 'invalid', 'manifest.csv');
const CODES = Object.keys(PROBLEMS);

/** Every test adds its codes here; the last one compares. */
const seen = new Set<string>();

async function problemsOf(name: string, content: string | Uint8Array): Promise<readonly Problem[]> {
  const { problems } = await read(name, content);
  for (const { code } of problems) seen.add(code);
  return problems;
}

// All its problems, with their words, are in test/goldens/invalid.txt.
describe('batches/invalid', () => {
  const reading = readManifests([INVALID]);

  test('reports all its problems at once, in order, each with its row, value and remedy', async () => {
    const told = (await reading).problems.map((problem) => {
      seen.add(problem.code);
      const { code, line, id, column, value, message, remedy } = problem;
      const place = [code, line, id, column, value].map((one) => one ?? '-').join(' | ');
      return `${place}\n  ${message}\n  ${remedy}\n`.replaceAll(path.dirname(INVALID), '');
    });
    await expect(told.join('')).toMatchFileSnapshot('invalid-batch.txt');
  });

  test('has the expected codes in its column `expect`', async () => {
    const { items, problems } = await reading;
    for (const { code } of problems) seen.add(code);
    for (const item of items) {
      const codes = problems.filter(({ id }) => id === item.id).map(({ code }) => code);
      if (item.user['expect'] !== '') expect([...new Set(codes)]).toEqual([item.user['expect']]);
    }
  });

  test('makes an item of every row that only has warnings, and of no other', async () => {
    const { items, problems, rows } = await reading;
    const refused = new Set(
      problems.filter(({ severity }) => severity === 'error').map(({ line }) => line),
    );
    expect(rows).toBe(85);
    expect(items).toHaveLength(rows - refused.size);
  });
});

describe('a manifest that cannot be used', () => {
  test('is reported when it does not exist', async () => {
    const { problems, rows } = await readManifests(['no/such/manifest.csv']);
    seen.add('MANIFEST_NOT_FOUND');
    expect(brief(problems)).toEqual(['MANIFEST_NOT_FOUND - - -']);
    expect(problems[0]).toMatchObject({
      file: 'no/such/manifest.csv',
      severity: 'error',
      id: null,
    });
    expect(problems[0]?.remedy).toMatch(/path/);
    expect(rows).toBe(0);
  });

  test('is reported when the folder has none, or several', async () => {
    const none = await folderWith({ 'table.csv': 'id,smiles\na,C\n' });
    const several = await folderWith({ 'manifest.csv': '', 'manifest.yml': '' });
    const { problems } = await readManifests([none, several]);
    for (const { code } of problems) seen.add(code);
    expect(brief(problems)).toEqual([
      'MANIFEST_FOLDER_EMPTY - - -',
      'MANIFEST_FOLDER_AMBIGUOUS - - -',
    ]);
    expect(problems[1]?.message).toContain('`manifest.csv`, `manifest.yml`');
  });

  test.each([
    ['table.xlsx', 'x', /\.xlsx is neither a manifest nor an input/],
    ['table', 'x', /no extension/],
  ])('%s is not a supported format', async (name, content, message) => {
    const [problem] = await problemsOf(name, content);
    expect(problem).toMatchObject({ code: 'MANIFEST_FORMAT', line: null });
    expect(problem?.message).toMatch(message);
    expect(problem?.remedy).toContain('.jsonl');
  });

  test('given twice, under two names, is read once', async () => {
    const folder = await folderWith({ 'manifest.csv': 'id,smiles\na,C\n' });
    const { problems, items } = await readManifests([folder, path.join(folder, 'manifest.csv')]);
    seen.add('MANIFEST_REPEATED');
    expect(items).toHaveLength(1);
    expect(brief(problems)).toEqual(['MANIFEST_REPEATED - - -']);
  });

  test.each(['.csv', '.tsv', '.jsonl', '.json', '.yaml'])(
    '%s without a row is reported',
    async (extension) => {
      const content = { '.json': '[]', '.csv': 'id,smiles\n', '.tsv': '' }[extension] ?? '\n';
      const problems = await problemsOf(`empty${extension}`, content);
      expect(brief(problems)).toEqual(['MANIFEST_EMPTY - - -']);
    },
  );

  test('a device is not read: it might be endless', async () => {
    const { problems } = await readManifests(['/dev/zero']);
    expect(brief(problems)).toEqual(['MANIFEST_UNREADABLE - - -']);
  });

  test('a header without an input column is reported once, not per row', async () => {
    const problems = await problemsOf('table.csv', 'id|smiles\na|C\nb|C\n');
    expect(brief(problems)).toEqual(['MANIFEST_COLUMNS_MISSING 1 - id|smiles']);
    expect(problems[0]?.remedy).toMatch(/commas or semicolons in \.csv/);
  });

  test('a pattern without matches is reported', async () => {
    const { problems } = await readManifests(['no/such/*.csv']);
    seen.add('MANIFEST_PATTERN_EMPTY');
    expect(brief(problems)).toEqual(['MANIFEST_PATTERN_EMPTY - - -']);
  });

  test('files in a folder that are not inputs are reported by number and name', async () => {
    const folder = await folderWith({
      'a.smi': 'C\n',
      '.DS_Store': '',
      README: '',
      'results/items.csv': '',
      'table.csv': '',
      'b.log': '',
    });
    const { problems, items } = await readManifests([folder]);
    seen.add('MANIFEST_FOLDER_SKIPPED');
    expect(items).toHaveLength(1);
    expect(brief(problems)).toEqual(['MANIFEST_FOLDER_SKIPPED - - -']);
    expect(problems[0]?.message).toMatch(/^5 entries .*`\.DS_Store`, `b\.log`, `README`, …$/);
  });

  test('truncated gzip is reported, after the rows before', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `${String(at)}-${String(at ** 5)},C\n`);
    const whole = gzipSync(`id,smiles\n${rows.join('')}`);
    const { items, problems } = await read('t.csv.gz', whole.subarray(0, whole.length - 1_000));
    seen.add('MANIFEST_GZIP');
    expect(items.length).toBeGreaterThan(10_000);
    expect(problems.map(({ code }) => code)).toContain('MANIFEST_GZIP');
  });

  test('a gzip bomb is refused in seconds', async () => {
    // 96 million blank lines in 93 kB, as consecutive members of gzip.
    const member = gzipSync(Buffer.alloc(32 * 1024 * 1024, '\n'));
    const bomb = Buffer.concat([gzipSync('id,smiles\na,C\n'), ...Array<Buffer>(3).fill(member)]);
    const { problems } = await read('t.csv.gz', bomb);
    seen.add('MANIFEST_GZIP_SWOLLEN');
    expect(brief(problems)).toEqual(['MANIFEST_GZIP_SWOLLEN - - -']);
    expect(problems[0]?.remedy).toContain('gunzip');
  });

  test('a table of more columns than a spreadsheet has is refused', async () => {
    const header = Array.from({ length: 20_000 }, (_, at) => `c${String(at)}`).join(',');
    const problems = await problemsOf('wide.csv', `smiles,${header}\nC\n`);
    expect(brief(problems)).toEqual(['MANIFEST_COLUMNS_TOO_MANY 1 - -']);
  });

  test('too many rows are refused', async () => {
    const folder = await folderWith({ 'a.smi': 'C\n'.repeat(100_001) });
    const { problems, rows } = await readManifests([folder]);
    seen.add('MANIFEST_ROWS_TOO_MANY');
    expect(rows).toBeLessThan(100_000);
    expect(brief(problems)).toEqual(['MANIFEST_ROWS_TOO_MANY - - -']);
    expect(problems[0]?.message).toContain('100,000');
    expect(problems[0]?.remedy).toContain('split -l');
  });

  test('rejects a column that appears twice', async () => {
    const problems = await problemsOf('table.csv', 'id,smiles,smiles\na,C,CC\n');
    expect(brief(problems)).toEqual(['MANIFEST_COLUMN_REPEATED 1 smiles smiles']);
  });
});

describe('an unreadable row', () => {
  test.each([
    ['rows.jsonl', '{"id": "a", "smiles": "C"}\n{"id": "b", \n', 'MANIFEST_SYNTAX 2 - {"id": "b",'],
    ['rows.jsonl', '{"id": "a", "smiles": "C"}\n["b"]\n', 'MANIFEST_ROW_NOT_OBJECT 2 - -'],
    ['rows.yaml', '- smiles: C\n- just text\n', 'MANIFEST_ROW_NOT_OBJECT 2 - -'],
    ['rows.yaml', '- smiles: C\n- smiles: [Na+]\n', 'MANIFEST_VALUE_NESTED 2 smiles ["Na+"]'],
    ['rows.csv', 'id,smiles\na,C\nb,"C\n', 'MANIFEST_SYNTAX 3 - -'],
  ])('%s %j', async (name, content, expected) => {
    const problems = await problemsOf(name, content);
    expect(brief(problems).map((line) => line.trim())).toContain(expected);
  });

  test('YAML of more than 16 MB is refused before it fills the memory', async () => {
    const problems = await problemsOf('big.yaml', '# a long comment\n'.repeat(1_000_000));
    expect(brief(problems)).toEqual(['MANIFEST_TOO_LARGE - - -']);
  });

  test('a file of more than 16 MB is not read', async () => {
    const folder = await folderWith({
      'big.pdb': Buffer.alloc(16_000_001, 'x'),
      'manifest.csv': 'id,file\nbig,big.pdb\n',
    });
    const { problems } = await readManifests([folder]);
    seen.add('MANIFEST_FILE_TOO_LARGE');
    expect(brief(problems)).toEqual(['MANIFEST_FILE_TOO_LARGE 2 file big.pdb']);
    expect(problems[0]?.message).toMatch(/17 MB.*16 MB/);
  });
});

test('a value is shortened and stripped of control codes', async () => {
  const nasty = `\u001b[31m${'x'.repeat(200)}`;
  const [problem] = await problemsOf('rows.jsonl', JSON.stringify({ kind: nasty, smiles: 'C' }));
  expect(problem?.value).toHaveLength(80 + '\\u{1b}'.length - 1);
  expect(problem?.value).toMatch(/^\\u\{1b\}\[31mx+…$/);
  expect(problem?.message).not.toContain('\u001b');
});

test('a job id that is invalid, or that another row has, is reported', async () => {
  const lines = ['id,kind,remote_id', 'a,molecule,../x', 'b,molecule,ab12', 'c,molecule,ab12'];
  expect(brief(await problemsOf('rows.csv', lines.join('\n')))).toEqual([
    'MANIFEST_REMOTE_ID_INVALID 2 remote_id ../x',
    'MANIFEST_REMOTE_ID_DUPLICATE 4 remote_id ab12',
  ]);
});

test('an encoding other than UTF-8 is reported', async () => {
  const problems = await problemsOf('rows.csv', Buffer.from('\uFEFFid,smiles\na,C\n', 'utf16le'));
  expect(brief(problems)).toEqual(['MANIFEST_TRANSCODED 1 - -']);
});

test('bytes that are not UTF-8 are reported', async () => {
  const problems = await problemsOf(
    'rows.csv',
    Buffer.from('id,smiles,title\na,C,\x81\n', 'latin1'),
  );
  expect(brief(problems)).toEqual(['MANIFEST_NOT_UTF8 2 - -']);
});

test('every code of the registry is covered by a test, except those that no manifest can cause', () => {
  // As root, as CI may run, every file can be read; test/manifest/files.test.ts covers these if it can.
  const needBrokenDisk = ['MANIFEST_UNREADABLE', 'MANIFEST_FILE_UNREADABLE'];
  // RDKit takes its 10 s twice; test/inputs/smiles.test.ts covers it with its own chemist.
  // Reported when the campaign's tree is known: test/plan/changed-row.test.ts.
  const elsewhere = [...needBrokenDisk, 'SMILES_UNANSWERED', 'MANIFEST_ROW_CHANGED'];
  expect(CODES.filter((code) => !seen.has(code) && !elsewhere.includes(code))).toEqual([]);
});

test('docs/manifest.md lists exactly the codes of the registry', async () => {
  const text = await readFile(path.join(BATCHES, '..', 'docs', 'manifest.md'), 'utf8');
  const listed = [...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)` +\|/gm)].map((match) => match[1]);
  expect(listed.toSorted()).toEqual(CODES.toSorted());
});
