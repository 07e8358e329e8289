/** Rows that were refused, share a job, or were run before, as a user runs them. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'csv-parse/sync';
import { itemsTable } from '../promises.ts';
import { sharedDesk } from './command.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const typing = { env: TOKEN };
const at = sharedDesk();

beforeAll(async () => {
  await rehearse(at, { limit: 100, seconds: 3_600 });
  await at.hosts(TOKEN);
});

function table(name: string, rows: readonly string[]): void {
  const ids = rows.map((row) => row.slice(0, row.indexOf(',')));
  at.rows.set(name, ids);
  at.write(`${name}.csv`, `${['id,sequence,predictors,project', ...rows].join('\n')}\n`);
}

async function runs(code: number, ...words: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await at.runs(code, ['run', ...words, '--json'], typing);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('refused rows are skipped on request, and run after they were corrected', async () => {
  const good = ['a,MKTAYIAKQR,dynamine,x', 'b,MKTAYIAKQR,agmata,y'];
  table('night', [...good, 'c,MK1,,z']);
  const refused = await at.runs(2, ['run', 'night.csv'], typing);
  expect(refused.stderr).toContain('--skip-invalid runs the other rows.');
  const document = await runs(3, 'night.csv', '--skip-invalid');
  expect(document).toMatchObject({
    state: 'completed',
    submissions: 1,
    items: { total: 3, succeeded: 2, failed: 0, invalid: 1, duplicates: 1, cached: 0 },
  });
  const tree = at.path('results', 'night');
  const row = (await itemsTable(tree)).find(({ id }) => id === 'c');
  expect(row).toMatchObject({ state: 'invalid', kind: 'sequence', path: '', project: 'z' });
  const failed = parse(readFileSync(`${tree}/failed.csv`), { columns: true, bom: true });
  expect(failed).toMatchObject([{ id: 'c', sequence: 'MK1', project: 'z' }]);

  table('night', [...good, 'c,MKTAYIAKLL,,z']);
  const items = { total: 3, succeeded: 3, invalid: 0 };
  expect(await runs(0, 'night.csv')).toMatchObject({ submissions: 2, items });
});

test('a row that differs from its job is refused; a later campaign reuses results, unless disabled', async () => {
  table('first', ['x,MKTFYIAKQR,,', 'y,MKTFYIAKLL,,', 'z,MKTFYIAKLL,dynamine,']);
  await runs(0, 'first.csv');
  for (const [name, submissions, cached, words] of [
    ['cached', 0, 2, []],
    ['none', 2, 0, ['--no-cache']],
  ] as const) {
    const document = await runs(0, 'first.csv', '--name', name, ...words);
    expect(document, name).toMatchObject({ submissions, items: { cached, duplicates: 1 } });
  }
  const from = (await itemsTable(at.path('results', 'cached'))).map((row) => row['result_from']);
  expect(from).toEqual(['cache:first/x', 'cache:first/y', 'duplicate:y']);

  table('first', ['x,MKTFYIAKQR,,edited', 'y,MKTFYIAKGG,,', 'z,MKTFYIAKLL,dynamine,']);
  const { stderr } = await at.runs(2, ['run', 'first.csv'], typing);
  expect(stderr).toMatch(/first\.csv:3, .*\by\b[^]*\[MANIFEST_ROW_CHANGED\]/);
  for (const version of ['MKTFYIAKLL', 'MKTFYIAKGG', 'first.csv line 3'])
    expect(stderr).toContain(version);
  expect(stderr).not.toContain('first.csv:2');
});
