/** Rows that request the same work: one job, and every row gets its end and its files. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { ResultCache, resultCacheFolder } from '../../src/store/result-cache.ts';
import { itemsTable } from '../promises.ts';
import { progressOf, Rig, sequences, type RigOptions, type Started } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const open = async (options: RigOptions = {}) =>
  (rig = await Rig.open({ engine: 'synthetic', jobMs: 50, concurrency: 0, ...options }));

const accepted = () => rig.services.journal().filter((entry) => entry.accepted);

const A = 'MKTAYIAKAA';
const GROUP = ['one', 'two', 'three'].map((id) => ({ id, sequence: A }));

async function rowsOf({ folder }: Started): Promise<Map<string, Record<string, string>>> {
  return new Map((await itemsTable(folder)).map((row) => [row['id'] ?? '', row]));
}

const jsonOf = async (folder: string, path: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(folder, path), 'utf8')) as Record<string, unknown>;

describe('rows that request the same work', () => {
  test('are submitted once, with the predictors of all, and each is delivered completely', async () => {
    await open();
    const rows = [
      { id: 'one', sequence: A, predictors: 'dynamine', project: 'p1' },
      { id: 'two', sequence: A, predictors: 'agmata', project: 'p2' },
      { id: 'other', sequence: 'MKTAYIAKCC', predictors: 'dynamine' },
      { id: 'ethanol', smiles: 'CCO' },
      { id: 'again', smiles: 'CCO' },
      { id: 'gas', smiles: 'CCO', charge_method: 'gas' },
    ];
    const started = await rig.start(rows);
    expect((await progressOf(started.handle)).following).toBe(2);
    const progress = await started.handle.result();
    expect(progress).toMatchObject({ total: 6, open: 0, following: 0, ended: { succeeded: 6 } });
    expect(accepted()).toHaveLength(4);
    const table = await rowsOf(started);
    expect(table.get('two')).toMatchObject({
      state: 'succeeded',
      attempts: '0',
      result_from: 'duplicate:one',
      project: 'p2',
      remote_id: table.get('one')?.['remote_id'],
    });
    expect(table.get('again')?.['result_from']).toBe('duplicate:ethanol');
    for (const id of ['one', 'other', 'ethanol', 'gas'])
      expect(table.get(id)?.['result_from']).toBe('');
    const bytes = (id: string) =>
      readFile(join(started.folder, 'sequences', id, 'result.json'), 'utf8');
    expect(await bytes('two')).toBe(await bytes('one'));
    expect(await bytes('one')).toMatch(/agmata|agg/i);
    const summary = await jsonOf(started.folder, 'campaign.json');
    expect(summary).toMatchObject({ duplicates: 2, cached: 0, submissions: 4 });
  });

  test('end like the row whose job fails, each with its reason', async () => {
    await open({ faults: [{ name: 'fail', service: 'predictions', times: 1 }] });
    const started = await rig.start([...GROUP, { id: 'fine', smiles: 'CCO' }]);
    expect((await started.handle.result()).ended).toMatchObject({ failed: 3, succeeded: 1 });
    expect(accepted()).toHaveLength(2);
    const table = await rowsOf(started);
    for (const { id } of GROUP)
      expect(table.get(id)).toMatchObject({ state: 'failed', error_code: 'JOB_FAILED' });
    const failed = await readFile(join(started.folder, 'failed.csv'), 'utf8');
    for (const { id } of GROUP) expect(failed).toContain(`\n${id},`);
  });

  test('are held with the row whose submission is uncertain', async () => {
    await open({ faults: [{ name: 'reset-after', service: 'molecules', times: 1 }] });
    const started = await rig.start(['one', 'two'].map((id) => ({ id, smiles: 'CCO' })));
    expect((await started.handle.result()).ended).toMatchObject({ held: 2 });
    expect(accepted(), 'jobs').toHaveLength(1);
    expect([...(await rowsOf(started)).values()].map((row) => row['error_code'])).toEqual([
      'SUBMIT_UNSURE',
      'SUBMIT_UNSURE',
    ]);
  });

  test('are cancelled with the row that has the job', async () => {
    await open({ jobMs: 30_000 });
    const started = await rig.start(GROUP);
    await expect.poll(() => accepted().length).toBe(1);
    await started.handle.cancel();
    expect(await started.handle.result()).toMatchObject({
      state: 'cancelled',
      ended: { cancelled: 3 },
    });
  });

  test('do not get a file that the user changed before the end', async () => {
    // The last two wait for the next window: there is time to edit a file before the end.
    await open({ limit: 5, windowMs: 6_000 });
    const started = await rig.start([...GROUP.slice(0, 2), ...sequences(6)]);
    const file = join(started.folder, 'sequences', 'one', 'result.csv');
    const ended = () => readFile(join(started.folder, 'sequences', 'one', 'item.json'), 'utf8');
    await expect.poll(ended).toContain('"state": "succeeded"');
    rig.breaks('treeIsWhole', 'a result was changed by hand');
    await writeFile(file, 'changed by hand');
    expect((await started.handle.result()).ended).toMatchObject({ failed: 2, succeeded: 6 });
    const table = await rowsOf(started);
    for (const id of ['one', 'two'])
      expect(table.get(id)?.['error_code']).toBe('STORE_DIGEST_MISMATCH');
  });
});

describe('a record that is damaged while the campaign runs', () => {
  test('does not prevent the end of other rows', async () => {
    await open({ jobMs: 100, concurrency: 1 });
    const started = await rig.start([...GROUP, ...sequences(12)]);
    rig.breaks('treeIsWhole', 'a record was cut off');
    await writeFile(join(started.folder, 'sequences', 'three', 'item.json'), '{"state": "wai');
    expect((await started.handle.result()).ended).toMatchObject({ failed: 1, succeeded: 14 });
    expect((await rowsOf(started)).get('three')?.['error_code']).toBe('STORE_RECORD_UNREADABLE');
  });
});

describe('a later campaign', () => {
  test('uses the results of the earlier one, except those edited in its tree', async () => {
    await open();
    const cache = new ResultCache(
      await openStore(resultCacheFolder(join(rig.folder, 'results', 'any'))),
    );
    const rows = [...GROUP, { id: 'other', sequence: 'MKTAYIAKCC' }, { id: 'mol', smiles: 'CCO' }];
    const first = await rig.run(rows, 'first', cache);
    expect(accepted()).toHaveLength(3);
    rig.breaks('treeIsWhole', 'a result of the first campaign was edited');
    // In place: the cache shares the disk blocks of this file.
    await writeFile(join(first.folder, 'sequences', 'other', 'result.json'), '{"edited": true}');
    const renamed = rows.map((row) => ({ ...row, id: `${row.id}-again` }));
    const second = await rig.run([...renamed, { id: 'new', smiles: 'CCCO' }], 'second', cache);
    expect(second.progress.ended.succeeded).toBe(6);
    expect(accepted(), 'the edited one, and the new one').toHaveLength(5);
    const from = [...(await rowsOf(second)).values()].map((row) => row['result_from']);
    expect(from).toEqual([
      'cache:first/one',
      'duplicate:one-again',
      'duplicate:one-again',
      '',
      'cache:first/mol',
      '',
    ]);
    expect(await jsonOf(second.folder, 'campaign.json')).toMatchObject({
      duplicates: 2,
      cached: 2,
      submissions: 2,
    });
  });

  test('does not depend on the cache: if it cannot be written, all rows still end', async () => {
    await open();
    const cache = new ResultCache(
      await openStore(resultCacheFolder(join(rig.folder, 'results', 'any'))),
    );
    const results = join(rig.folder, 'results', '.cache', 'results');
    await writeFile(results, 'a file where a folder has to be');
    const ran = await rig
      .run([{ id: 'mol', smiles: 'CCO' }], 'only', cache)
      .catch((error: unknown) => error);
    expect(ran).toMatchObject({ progress: { state: 'completed', ended: { succeeded: 1 } } });
  });
});
