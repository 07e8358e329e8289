/** Rows that were run before, were refused, or were changed since, as a user runs them. */
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'csv-parse/sync';
import { itemsTable } from '../promises.ts';
import { sharedDesk } from './command.ts';
import { rehearse, TOKEN, type Rehearsal } from './rehearsal.ts';

const typing = { env: TOKEN };
const at = sharedDesk();
let service: Rehearsal;

beforeAll(async () => {
  service = await rehearse(at, { limit: 100, seconds: 3_600 });
  await at.hosts(TOKEN);
});

function table(name: string, rows: readonly string[]): void {
  at.rows.set(
    name,
    rows.map((row) => row.slice(0, row.indexOf(','))),
  );
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
  const failed = parse<Record<string, string>>(readFileSync(`${tree}/failed.csv`), {
    columns: true,
    bom: true,
  });
  expect(failed).toMatchObject([{ id: 'c', sequence: 'MK1', project: 'z' }]);
  // Nothing is left to do; the skipped row is still known.
  expect(await runs(3, 'night.csv', '--skip-invalid')).toEqual(document);

  table('night', [...good, 'c,MKTAYIAKLL,,z']);
  expect(await runs(0, 'night.csv')).toMatchObject({
    submissions: 2,
    items: { total: 3, succeeded: 3, invalid: 0 },
  });
});

test('a row that differs from its job is refused, unless its job had failed', async () => {
  await service.faults([{ name: 'fail', service: 'predictions', times: 1 }]);
  table('changed', ['bad,MKTWYIAKQR,,x']);
  await runs(3, 'changed.csv');
  // A new job for another sequence, not a retry.
  table('changed', ['bad,MKTWYIAKQW,,x', 'good,MKTWYIAKLL,,x']);
  const document = await runs(0, 'changed.csv');
  expect(document).toMatchObject({ submissions: 2, items: { succeeded: 2 } });
  table('changed', ['bad,MKTWYIAKQW,,edited', 'good,MKTWYIAKGG,,x']);
  const { stderr } = await at.runs(2, ['run', 'changed.csv'], typing);
  expect(stderr).toContain('[MANIFEST_ROW_CHANGED]');
  expect(stderr).toMatch(/changed\.csv:3, .*good/);
  for (const version of ['MKTWYIAKLL', 'MKTWYIAKGG', 'changed.csv line 3'])
    expect(stderr).toContain(version);
  expect(stderr).not.toContain('changed.csv:2');
});

test('a later campaign reuses the results of an earlier one, unless disabled', async () => {
  table('first', ['a,MKTFYIAKQR,,', 'b,MKTFYIAKLL,,']);
  table('later', ['x,MKTFYIAKQR,,', 'y,MKTFYIAKLL,,', 'z,MKTFYIAKLL,dynamine,']);
  await runs(0, 'first.csv', '--no-cache');
  for (const [name, submissions, cached] of [
    ['unknown', 2, 0],
    ['cached', 0, 2],
    ['none', 2, 0],
  ] as const) {
    const words = ['--name', name, ...(name === 'none' ? ['--no-cache'] : [])];
    const document = await runs(0, 'later.csv', ...words);
    expect(document, name).toMatchObject({ submissions, items: { cached, duplicates: 1 } });
  }
  const from = (await itemsTable(at.path('results', 'cached'))).map((row) => row['result_from']);
  expect(from).toEqual(['cache:unknown/x', 'cache:unknown/y', 'duplicate:y']);
});

test('rows that share a job are retried together, with one submission', async () => {
  await service.faults([{ name: 'fail', service: 'predictions', times: 1 }]);
  table('shared', [
    'lead,MKTVYIAKQR,dynamine,',
    'two,MKTVYIAKQR,,',
    'three,MKTVYIAKQR,,',
    'no,MK1,,',
  ]);
  const states = async () =>
    (await itemsTable(at.path('results', 'shared'))).map(({ state }) => state);
  expect(await runs(3, 'shared.csv', '--skip-invalid')).toMatchObject({
    submissions: 1,
    items: { total: 4, failed: 3, invalid: 1 },
  });
  const item = (id: string) => ['retry', 'shared', '--item', id];
  const alone = await at.runs(2, item('two'), typing);
  expect(alone.stderr).toContain('two shares the job of lead, which is failed');
  expect(alone.stderr).toContain('[ITEM_NOT_RETRYABLE]');
  await at.runs(3, item('lead'), typing);
  expect(await states()).toEqual(['succeeded', 'failed', 'failed', 'invalid']);
  await at.runs(3, item('two'), typing);
  const { stderr } = await at.runs(3, ['retry', 'shared', '--failed'], typing);
  expect(stderr).toContain('1 item get');
  expect(await states()).toEqual(['succeeded', 'succeeded', 'succeeded', 'invalid']);
  // Of all campaigns here: 2 + 3 + 6 + 2.
  expect((await service.end()).filter(({ accepted }) => accepted)).toHaveLength(13);
});
