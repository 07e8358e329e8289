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

async function problemsOf(name: string, content: string | Uint8Array): Promise<readonly Problem[]> {
  const { problems } = await read(name, content);
  return problems;
}

// All its problems, with their words, are in test/goldens/invalid.txt.
describe('batches/invalid', () => {
  const reading = readManifests([INVALID]);

  test('has the expected codes in its column `expect`', async () => {
    const { items, problems } = await reading;
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
  test('truncated gzip is reported, after the rows before', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `${String(at)}-${String(at ** 5)},C\n`);
    const whole = gzipSync(`id,smiles\n${rows.join('')}`);
    const { items, problems } = await read('t.csv.gz', whole.subarray(0, whole.length - 1_000));
    expect(items.length).toBeGreaterThan(10_000);
    expect(problems.map(({ code }) => code)).toContain('MANIFEST_GZIP');
  });

  test('a gzip bomb is refused in seconds', async () => {
    // 96 million blank lines in 93 kB, as consecutive members of gzip.
    const member = gzipSync(Buffer.alloc(32 * 1024 * 1024, '\n'));
    const bomb = Buffer.concat([gzipSync('id,smiles\na,C\n'), ...Array<Buffer>(3).fill(member)]);
    const { problems } = await read('t.csv.gz', bomb);
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
    expect(rows).toBeLessThan(100_000);
    expect(brief(problems)).toEqual(['MANIFEST_ROWS_TOO_MANY - - -']);
    expect(problems[0]?.message).toContain('100,000');
    expect(problems[0]?.remedy).toContain('split -l');
  });
});

describe('an unreadable row', () => {
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
    expect(brief(problems)).toEqual(['MANIFEST_FILE_TOO_LARGE 2 file big.pdb']);
    expect(problems[0]?.message).toMatch(/17 MB.*16 MB/);
  });
});

test('every code has a case in the golden of problems, or a test of its own', async () => {
  const golden = await readFile(path.join(BATCHES, '..', 'test/goldens/invalid.txt'), 'utf8');
  const inGolden = new Set(
    [...golden.matchAll(/^ {2}(?:error|warning) (\w+)/gm)].map((one) => one[1]),
  );
  expect(CODES.filter((code) => !inGolden.has(code)).sort()).toEqual([
    'MANIFEST_COLUMNS_TOO_MANY',
    'MANIFEST_FILE_TOO_LARGE',
    'MANIFEST_GZIP',
    'MANIFEST_GZIP_SWOLLEN',
    'MANIFEST_ROWS_TOO_MANY',
    // Told when the tree of the campaign is known: test/plan/survey.test.ts.
    'MANIFEST_ROW_CHANGED',
    'MANIFEST_TOO_LARGE',
    // RDKit takes its 10 s twice: test/inputs/smiles.test.ts.
    'SMILES_UNANSWERED',
  ]);
});

test('docs/manifest.md lists exactly the codes of the registry', async () => {
  const text = await readFile(path.join(BATCHES, '..', 'docs', 'manifest.md'), 'utf8');
  const listed = [...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)` +\|/gm)].map((match) => match[1]);
  expect(listed.toSorted()).toEqual(CODES.toSorted());
});
