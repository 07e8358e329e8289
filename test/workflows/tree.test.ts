/** Workers without a campaign's tree, and trees that another Temporal has taken over. */
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { obstacleOf } from '../../src/campaigns/obstacle.ts';
import { treeObstacleOf } from '../../src/campaigns/tree-obstacle.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { holdTree } from '../../src/store/hold-tree.ts';
import { readItem } from '../../src/store/item-store.ts';
import { newestLease, releaseLease } from '../../src/store/lease.ts';
import type { RunningWorker } from '../../src/worker.ts';
import { itemsTable } from '../promises.ts';
import { OTHER_TEMPORAL } from '../other-temporal.ts';
import { Rig, sequences } from '../rig.ts';

let rig: Rig;
let elsewhere: RunningWorker | null = null;
beforeEach(async () => {
  rig = await Rig.open({ engine: 'synthetic', concurrency: 0, jobMs: 500 });
});
afterEach(async () => {
  await elsewhere?.stop();
  elsewhere = null;
  await rig.close();
});

const submissions = () => rig.services.journal().filter(({ accepted }) => accepted).length;
describe('a worker without the folder of a campaign', () => {
  const notMounted = (folder: string) => folder.replace('/results/', '/not-mounted/');

  test('leaves the items to the worker that has the folder, and creates no folder', async () => {
    elsewhere = await rig.startRemoteWorker(notMounted);
    const { folder, progress } = await rig.run(sequences(12));
    expect(progress).toMatchObject({ ended: { succeeded: 12 } });
    expect(existsSync(notMounted(folder))).toBe(false);
  });

  test('submits nothing and reports this if it is alone; the campaign continues with another worker', async () => {
    await rig.stopWorker();
    elsewhere = await rig.startRemoteWorker(notMounted);
    const { handle, folder } = await rig.start(sequences(2));
    const seen = async () => obstacleOf(folder, await handle.describe());
    await expect.poll(seen).toContain('is not the output tree of this campaign');
    expect(submissions()).toBe(0);
    await elsewhere.stop();
    elsewhere = null;
    await rig.startWorker();
    expect(await handle.result()).toMatchObject({ ended: { succeeded: 2 } });
  });
});

describe('a tree that another Temporal has taken over', () => {
  test('is not used by the campaign that ran on it until a new run takes it over again', async () => {
    await rig.stopWorker();
    const { handle, folder, name } = await rig.start(sequences(3));
    const store = await openFileStore(folder);
    await holdTree(store, OTHER_TEMPORAL, { isGone: () => true });
    await rig.startWorker();
    const seen = async () => obstacleOf(folder, await handle.describe());
    await expect.poll(seen).toContain('other/.hundredfold');
    const looked = { session: { client: rig.client, role: 'host' as const }, name, folder };
    const here = async () => treeObstacleOf(looked, await handle.describe());
    expect(await here()).toContain('is in use by another Temporal server');
    await releaseLease(store, OTHER_TEMPORAL);
    expect(await here()).toContain('has taken it over since');
    // The other one may have done all of it.
    await expect.poll(seen).toContain('has taken it over since');
    expect(submissions()).toBe(0);

    const again = await rig.run(sequences(3), name);
    expect(again.progress).toMatchObject({ ended: { succeeded: 3 } });
    expect(await handle.describe()).toMatchObject({ status: { name: 'COMPLETED' } });
    expect(submissions()).toBe(3);
  });
});

test('the lease is released after the end of the campaign', async () => {
  const { folder } = await rig.run(sequences(1));
  const store = await openFileStore(folder);
  expect(await newestLease(store)).toMatchObject({ released: false });
  await rig.stopWorker();
  expect(await newestLease(store)).toMatchObject({ released: true });
  expect(await itemsTable(folder)).toHaveLength(1);
});

test('a tree id that was removed is written again by the next command', async () => {
  await rig.stopWorker();
  const { handle, folder, name } = await rig.start(sequences(2));
  await mkdir(folder, { recursive: true });
  const store = await openFileStore(folder);
  await store.remove('.hundredfold/tree.json');
  await rig.startWorker();
  const seen = async () => obstacleOf(folder, await handle.describe());
  await expect.poll(seen).toContain('it has no .hundredfold/tree.json');
  await rig.start(sequences(2), name);
  expect(await handle.result()).toMatchObject({ ended: { succeeded: 2 } });
});

/** Their records have the ids of their jobs: nothing is written there until the jobs have ended. */
async function areNoted(folder: string, ids: readonly string[]): Promise<void> {
  const store = await openFileStore(folder);
  const noted = async (): Promise<number> => {
    const records = await Promise.all(ids.map((id) => readItem(store, 'sequence', id)));
    return records.filter((record) => record?.remoteId).length;
  };
  await expect.poll(noted).toBe(ids.length);
}

test('item folders that were removed while their jobs ran are restored by the same command', async () => {
  await rig.close();
  // Long enough to remove their folders, and to restart.
  rig = await Rig.open({ engine: 'synthetic', concurrency: 0, jobMs: 6_000 });
  const rows = sequences(4);
  const { folder, name, handle, ids } = await rig.start(rows);
  await areNoted(folder, ids);
  for (const id of ['seq-1', 'seq-2'])
    await rm(join(folder, 'sequences', id), { recursive: true, force: true });
  await rig.start(rows, name);
  const { ended } = await handle.result();
  expect(ended.succeeded).toBe(4);
});

test('an item whose folder was removed while its job ran fails with the reason if it is not restored', async () => {
  await rig.close();
  const policy = { patienceMs: 500 };
  rig = await Rig.open({ engine: 'synthetic', concurrency: 0, jobMs: 5_000, policy });
  const { folder, handle, ids } = await rig.start(sequences(2));
  await areNoted(folder, ids);
  rig.breaks('treeIsWhole', 'the folder of an item was removed');
  await rm(join(folder, 'sequences', 'seq-1'), { recursive: true, force: true });
  const { ended } = await handle.result();
  expect(ended).toMatchObject({ succeeded: 1, failed: 1 });
  const rows = await itemsTable(folder);
  expect(rows.find(({ id }) => id === 'seq-1')?.['error']).toContain('item.json is missing');
});
