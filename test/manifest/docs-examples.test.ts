/** The examples of the pages on manifests, each read as if a user had copied it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { BATCHES, read } from './manifests.ts';

const page = (name: string): string =>
  readFileSync(path.join(BATCHES, '..', 'docs', `${name}.md`), 'utf8');
const PAGE = page('manifest');
/** `` `table.csv`: `` and the following block. */
const EXAMPLES = [...PAGE.matchAll(/^`([\w.]+)`:\n\n```\w+\n([^]*?)^```$/gm)];

describe('docs/manifest.md', () => {
  test('has an example of every source that may contain several inputs, and all can be read', async () => {
    const found: Record<string, readonly string[]> = {};
    for (const [, name = '', text = ''] of EXAMPLES) {
      const { items, problems } = await read(name, text);
      expect(problems).toEqual([]);
      found[name] = items.map(({ id }) => id);
    }
    expect(found).toEqual({
      'table.csv': ['ethanol', 'acetate'],
      'table.jsonl': ['ethanol', 'hemopressin'],
      'table.json': ['ethanol', 'acetate'],
      'table.yaml': ['ethanol', 'ammonium'],
      'library.smi': ['ethanol', 'acetate_ion', 'library-3'],
      'water.sdf': ['water'],
      'peptides.fasta': ['hemopressin', 'substance_P'],
    });
  });

  test('lists only extensions that can be read', async () => {
    const table = PAGE.slice(PAGE.indexOf('## Sources'), PAGE.indexOf('### Tables'));
    const extensions = [...table.matchAll(/`(\.\w+)`/g)].map(([, extension = '']) => extension);
    expect(extensions.length).toBeGreaterThan(20);
    for (const extension of extensions) {
      const { problems } = await read(`x${extension}`, '');
      expect(problems.map(({ code }) => code)).not.toContain('MANIFEST_FORMAT');
    }
  });
});

test('the example of docs/adopting.md adopts three jobs and submits one', async () => {
  const [, text = ''] = /^`adopted\.csv`:\n\n```csv\n([^]*?)^```$/m.exec(page('adopting')) ?? [];
  const { items, problems } = await read('adopted.csv', text);
  expect(problems).toEqual([]);
  expect(items.map(({ adopts }) => adopts?.inputKnown)).toEqual([true, false, true, undefined]);
});

test('the table of docs/first-night.md, saved as CSV, has no problem', async () => {
  const [, table = ''] = /^(\| id \|[^]*?)\n\n/m.exec(page('first-night')) ?? [];
  const rows = table.split('\n').filter((line) => !line.startsWith('| ---'));
  const cells = rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const { items, problems } = await read('night.csv', cells.map((row) => row.join(',')).join('\n'));
  expect(problems).toEqual([]);
  expect(items.map(({ kind }) => kind)).toEqual(['molecule', 'molecule', 'molecule', 'sequence']);
});
