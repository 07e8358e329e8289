/** Rows that request the same work: one job, and every row gets its end and its files. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cacheBeside } from '../store/temporary-store.ts';
import { itemsTable } from '../promises.ts';
import { progressOf, sequences, type Started } from '../rig.ts';
import { accepted, codes, jsonOf, openRig, until } from './faulty.ts';

const A = 'MKTAYIAKAA';
const GROUP = ['one', 'two', 'three'].map((id) => ({ id, sequence: A }));

async function tableOf({ folder }: Started): Promise<Map<string, Record<string, string>>> {
  return new Map((await itemsTable(folder)).map((row) => [row['id'] ?? '', row]));
}

async function ended(started: Started) {
  return { ...started, progress: await started.handle.result() };
}

describe.concurrent('rows that request the same work', () => {
  test('are submitted once, with the predictors of all, and each is delivered completely', async (context) => {
    const rig = await openRig({ jobMs: 500 }, context);
    const started = await rig.start([
      { id: 'one', sequence: A, predictors: 'dynamine', project: 'p1' },
      { id: 'two', sequence: A, predictors: 'agmata', project: 'p2' },
      { id: 'other', sequence: 'MKTAYIAKCC', predictors: 'dynamine' },
      { id: 'ethanol', smiles: 'CCO' },
      { id: 'again', smiles: 'CCO' },
      { id: 'gas', smiles: 'CCO', charge_method: 'gas' },
    ]);
    expect((await progressOf(started.handle)).following).toBe(2);
    const progress = await started.handle.result();
    expect(progress).toMatchObject({ total: 6, open: 0, following: 0, ended: { succeeded: 6 } });
    expect(accepted(rig)).toHaveLength(4);
    const table = await tableOf(started);
    expect(table.get('two')).toMatchObject({
      state: 'succeeded',
      attempts: '0',
      result_from: 'duplicate:one',
      project: 'p2',
      remote_id: table.get('one')?.['remote_id'],
    });
    const from = ['again', 'other', 'gas'].map((id) => table.get(id)?.['result_from']);
    expect(from).toEqual(['duplicate:ethanol', '', '']);
    const text = (id: string) => readFile(join(started.folder, 'sequences', id, 'result.json'));
    expect(await text('two')).toEqual(await text('one'));
    expect((await text('one')).toString()).toMatch(/agmata|agg/i);
    const summary = { duplicates: 2, cached: 0, submissions: 4 };
    expect(await jsonOf(started.folder, 'campaign.json')).toMatchObject(summary);
  });

  test('end like the row whose job fails, or whose submission is uncertain, each with its reason', async (context) => {
    const faults = [
      { name: 'fail', service: 'predictions', times: 1 },
      { name: 'reset-after', service: 'molecules', times: 1 },
    ] as const;
    const rig = await openRig({ faults }, context);
    const same = ['four', 'five'].map((id) => ({ id, smiles: 'CCO' }));
    const ran = await rig.run([...GROUP, ...same]);
    expect(await codes(ran)).toEqual({ JOB_FAILED: 3, SUBMIT_UNSURE: 2 });
    expect(ran.progress.ended).toMatchObject({ failed: 3, held: 2 });
    expect(accepted(rig)).toHaveLength(2);
    const failed = await readFile(join(ran.folder, 'failed.csv'), 'utf8');
    for (const { id } of GROUP) expect(failed).toContain(`\n${id},`);
  });

  test('do not get a file that the user changed before the end; a damaged record ends its row alone', async (context) => {
    // The last ones wait for the next window: there is time to edit files before the end.
    const rig = await openRig({ limit: 5, windowMs: 6_000 }, context);
    const pair = ['four', 'five'].map((id) => ({ id, sequence: 'MKTAYIAKYY' }));
    const started = await rig.start([...GROUP.slice(0, 2), ...pair, ...sequences(6)]);
    const file = (id: string, name: string) => join(started.folder, 'sequences', id, name);
    rig.breaks('treeIsWhole', 'a result and a record were changed by hand');
    await writeFile(file('five', 'item.json'), '{"state": "wai');
    const isDone = async () =>
      (await readFile(file('one', 'item.json'), 'utf8')).includes('"state": "succeeded"');
    await until(isDone);
    await writeFile(file('one', 'result.csv'), 'changed by hand');
    const ran = await ended(started);
    expect(ran.progress.ended).toMatchObject({ failed: 3, succeeded: 7 });
    const table = await tableOf(started);
    const code = (id: string) => table.get(id)?.['error_code'];
    expect(code('one')).toBe('STORE_DIGEST_MISMATCH');
    expect(code('two')).toBe('STORE_DIGEST_MISMATCH');
    expect(code('five')).toBe('STORE_RECORD_UNREADABLE');
  });
});

describe.concurrent('a later campaign', () => {
  test('uses the results of the earlier one, except those edited in its tree', async (context) => {
    const rig = await openRig({}, context);
    const cache = await cacheBeside({ location: join(rig.folder, 'results', 'any') });
    const rows = [...GROUP, { id: 'other', sequence: 'MKTAYIAKCC' }, { id: 'mol', smiles: 'CCO' }];
    const first = await rig.run(rows, 'first', cache);
    expect(accepted(rig)).toHaveLength(3);
    rig.breaks('treeIsWhole', 'a result of the first campaign was edited');
    await writeFile(join(first.folder, 'sequences', 'other', 'result.json'), '{"edited": true}');
    const renamed = rows.map((row) => ({ ...row, id: `${row.id}-again` }));
    const second = await rig.run([...renamed, { id: 'new', smiles: 'CCCO' }], 'second', cache);
    expect(second.progress.ended.succeeded).toBe(6);
    expect(accepted(rig), 'the edited one, and the new one').toHaveLength(5);
    expect((await itemsTable(second.folder)).map((row) => row['result_from'])).toEqual([
      'cache:first/one',
      'duplicate:one-again',
      'duplicate:one-again',
      '',
      'cache:first/mol',
      '',
    ]);
    const summary = { duplicates: 2, cached: 2, submissions: 2 };
    expect(await jsonOf(second.folder, 'campaign.json')).toMatchObject(summary);
  });
});
