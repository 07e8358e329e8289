/** Rows that were run before, were refused, or were changed since, as a user runs them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'csv-parse/sync';
import { itemsTable, noItemLost, treeIsWhole } from '../promises.ts';
import { desk, type Desk } from './command.ts';
import { rehearse, TOKEN, type Rehearsal } from './rehearsal.ts';

const typing = { env: TOKEN };

async function scene(): Promise<{ at: Desk; service: Rehearsal }> {
  const at = desk();
  const service = await rehearse(at, { limit: 100, seconds: 3_600 });
  const host = at.type(['host'], typing);
  await host.until(() => at.record('host')?.['pid'] === host.pid, 'it held the server');
  return { at, service };
}

const table = (at: Desk, name: string, rows: readonly string[]) =>
  at.write(`${name}.csv`, `${['id,sequence,predictors,project', ...rows].join('\n')}\n`);

async function runs(
  at: Desk,
  code: number,
  words: readonly string[],
): Promise<Record<string, unknown>> {
  const { stdout } = await at.runs(code, ['run', ...words, '--json'], typing);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('refused rows are skipped on request, and run after they were corrected', async () => {
  const { at } = await scene();
  const good = ['a,MKTAYIAKQR,dynamine,x', 'b,MKTAYIAKQR,agmata,y'];
  table(at, 'night', [...good, 'c,MK1,,z']);
  const refused = await at.runs(2, ['run', 'night.csv'], typing);
  expect(refused.stderr).toContain('--skip-invalid runs the other rows.');
  const document = await runs(at, 3, ['night.csv', '--skip-invalid']);
  expect(document).toMatchObject({
    state: 'completed',
    submissions: 1,
    items: { total: 3, succeeded: 2, failed: 0, invalid: 1, duplicates: 1, cached: 0 },
  });
  const tree = at.path('results', 'night');
  await noItemLost(tree, ['a', 'b', 'c']);
  await treeIsWhole(tree);
  const row = (await itemsTable(tree)).find(({ id }) => id === 'c');
  expect(row).toMatchObject({ state: 'invalid', kind: 'sequence', path: '', project: 'z' });
  const failed = parse<Record<string, string>>(readFileSync(`${tree}/failed.csv`), {
    columns: true,
    bom: true,
  });
  expect(failed).toMatchObject([{ id: 'c', sequence: 'MK1', project: 'z' }]);
  // Nothing is left to do; the skipped row is still known.
  expect(await runs(at, 3, ['night.csv', '--skip-invalid'])).toEqual(document);

  table(at, 'night', [...good, 'c,MKTAYIAKLL,,z']);
  expect(await runs(at, 0, ['night.csv'])).toMatchObject({
    submissions: 2,
    items: { total: 3, succeeded: 3, invalid: 0 },
  });
  await noItemLost(tree, ['a', 'b', 'c']);
  await treeIsWhole(tree);
}, 180_000);

test('a row that differs from its job is refused, unless its job had failed', async () => {
  const { at, service } = await scene();
  await service.faults([{ name: 'fail', service: 'predictions', times: 1 }]);
  table(at, 'night', ['bad,MKTAYIAKQR,,x']);
  await runs(at, 3, ['night.csv']);
  // A new job for another sequence, not a retry.
  table(at, 'night', ['bad,MKTAYIAKQW,,x', 'good,MKTAYIAKLL,,x']);
  expect(await runs(at, 0, ['night.csv'])).toMatchObject({
    submissions: 2,
    items: { succeeded: 2 },
  });
  table(at, 'night', ['bad,MKTAYIAKQW,,edited', 'good,MKTAYIAKGG,,x']);
  const { stderr } = await at.runs(2, ['run', 'night.csv'], typing);
  expect(stderr).toContain('[MANIFEST_ROW_CHANGED]');
  expect(stderr).toMatch(/night\.csv:3, .*good/);
  for (const version of ['MKTAYIAKLL', 'MKTAYIAKGG', 'night.csv line 3'])
    expect(stderr).toContain(version);
  expect(stderr).not.toContain('night.csv:2');
  expect(await service.end()).toHaveLength(3);
}, 180_000);

test('a later campaign reuses the results of an earlier one, unless disabled', async () => {
  const { at, service } = await scene();
  table(at, 'first', ['a,MKTAYIAKQR,,', 'b,MKTAYIAKLL,,']);
  table(at, 'later', ['x,MKTAYIAKQR,,', 'y,MKTAYIAKLL,,', 'z,MKTAYIAKLL,dynamine,']);
  const summary = async (...words: string[]) => {
    const { submissions, items } = await runs(at, 0, ['later.csv', ...words]);
    const { cached, duplicates } = items as Record<string, number>;
    return { submissions, cached, duplicates };
  };
  await runs(at, 0, ['first.csv', '--no-cache']);
  expect(await summary('--name', 'unknown')).toEqual({ submissions: 2, cached: 0, duplicates: 1 });
  expect(await summary('--name', 'cached')).toEqual({ submissions: 0, cached: 2, duplicates: 1 });
  expect(await summary('--name', 'none', '--no-cache')).toEqual({
    submissions: 2,
    cached: 0,
    duplicates: 1,
  });
  for (const name of ['cached', 'none']) {
    await noItemLost(at.path('results', name), ['x', 'y', 'z']);
    await treeIsWhole(at.path('results', name));
  }
  const from = (await itemsTable(at.path('results', 'cached'))).map((row) => row['result_from']);
  expect(from).toEqual(['cache:unknown/x', 'cache:unknown/y', 'duplicate:y']);
  expect((await service.end()).filter(({ accepted }) => accepted)).toHaveLength(6);
}, 180_000);

test('rows that share a job are retried together, with one submission', async () => {
  const { at, service } = await scene();
  await service.faults([{ name: 'fail', service: 'predictions', times: 1 }]);
  table(at, 'night', [
    'lead,MKTAYIAKQR,dynamine,',
    'two,MKTAYIAKQR,,',
    'three,MKTAYIAKQR,,',
    'no,MK1,,',
  ]);
  const tree = at.path('results', 'night');
  expect(await runs(at, 3, ['night.csv', '--skip-invalid'])).toMatchObject({
    submissions: 1,
    items: { total: 4, failed: 3, invalid: 1 },
  });
  const alone = await at.runs(2, ['retry', 'night', '--item', 'two'], typing);
  expect(alone.stderr).toContain('two shares the job of lead, which is failed');
  expect(alone.stderr).toContain('[ITEM_NOT_RETRYABLE]');

  const leader = await at.runs(3, ['retry', 'night', '--item', 'lead'], typing);
  expect(leader.stderr).toMatch(/of 4/);
  expect((await itemsTable(tree)).map(({ state }) => state)).toEqual([
    'succeeded',
    'failed',
    'failed',
    'invalid',
  ]);
  await at.runs(3, ['retry', 'night', '--item', 'two'], typing);
  const { stderr } = await at.runs(3, ['retry', 'night', '--failed'], typing);
  expect(stderr).toContain('1 item get');
  expect((await itemsTable(tree)).map(({ state }) => state)).toEqual([
    'succeeded',
    'succeeded',
    'succeeded',
    'invalid',
  ]);
  await noItemLost(tree, ['lead', 'two', 'three', 'no']);
  await treeIsWhole(tree);
  expect((await service.end()).filter(({ accepted }) => accepted)).toHaveLength(2);
}, 180_000);
