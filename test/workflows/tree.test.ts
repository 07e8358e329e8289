/** Workers without a campaign's tree, trees that another Temporal has taken over, and folders that were removed. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, type TestContext } from 'vitest';
import { readBudget } from '../../src/activities/budget-run.ts';
import { describeFailing, findTreeFault } from '../../src/runner/obstacles.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { holdTree, readNewestLease, releaseLease } from '../../src/store/lease.ts';
import { buildBudgetWorkflowId } from '../../src/workflows/names.ts';
import { OTHER_TEMPORAL } from '../other-temporal.ts';
import { sequences, type Rig, type RigOptions, type Started } from '../rig.ts';
import { accepted, openRig, rowOf, settingsOf, until, untilSent } from './faulty.ts';

const open = (context: TestContext, options: RigOptions = {}) =>
  openRig({ jobMs: 500, ...options }, context);

const obstacle = async ({ handle }: Started) => describeFailing(await handle.describe()) ?? '';

const notMounted = (folder: string) => folder.replace('/results/', '/not-mounted/');

async function elsewhere(rig: Rig, { onTestFinished }: TestContext) {
  const worker = await rig.startRemoteWorker(notMounted);
  onTestFinished(() => worker.stop());
  return worker;
}

describe.concurrent('a worker without the folder of a campaign', () => {
  test('leaves the items to the worker that has the folder, and creates no folder', async (context) => {
    const rig = await open(context);
    await elsewhere(rig, context);
    const { folder, progress } = await rig.run(sequences(6));
    expect(progress).toMatchObject({ ended: { succeeded: 6 } });
    expect(existsSync(notMounted(folder))).toBe(false);
  });

  test('submits nothing and reports this if it is alone; the campaign continues with another worker', async (context) => {
    const rig = await open(context);
    await rig.stopWorker();
    const alone = await elsewhere(rig, context);
    const started = await rig.start(sequences(2));
    const why = 'is not the output tree of this campaign';
    await until(async () => (await obstacle(started)).includes(why));
    expect(accepted(rig)).toEqual([]);
    await alone.stop();
    await rig.startWorker();
    expect(await started.handle.result()).toMatchObject({ ended: { succeeded: 2 } });
  });
});

describe.concurrent('a tree', () => {
  test('that another Temporal took over is not used until a new run takes it over again, and released at the end', async (context) => {
    const rig = await open(context);
    await rig.stopWorker();
    const started = await rig.start(sequences(3));
    const { handle, folder, name } = started;
    const store = await openFileStore(folder);
    await holdTree(store, OTHER_TEMPORAL, { isGone: () => true });
    await rig.startWorker();
    await until(async () => (await obstacle(started)).includes('other/.hundredfold'));
    const here = async () =>
      (await findTreeFault(rig.client, folder, await handle.describe()))?.message;
    expect(await here()).toContain('is in use by another Temporal server');
    await releaseLease(store, OTHER_TEMPORAL);
    // The other one may have done all of it.
    const since = 'has taken it over since';
    expect(await here()).toContain(since);
    await until(async () => (await obstacle(started)).includes(since));
    expect(accepted(rig)).toEqual([]);

    const again = await rig.run(sequences(3), name);
    expect(again.progress).toMatchObject({ ended: { succeeded: 3 } });
    expect(await handle.describe()).toMatchObject({ status: { name: 'COMPLETED' } });
    expect(accepted(rig)).toHaveLength(3);
    expect(await readNewestLease(store)).toMatchObject({ released: null });
    await rig.stopWorker();
    expect(await readNewestLease(store)).toMatchObject({ released: { known: true } });
  });

  test('that was taken over while a submission was suspended gets nothing from it', async (context) => {
    // Of a token without a limit, nobody asks who else uses it.
    const rig = await open(context, { limit: 4, windowMs: 60_000 });
    await rig.stopWorker();
    const gate = Promise.withResolvers<null>();
    let suspended = 0;
    const check = async () => {
      suspended += 1;
      await gate.promise;
    };
    await rig.startWorker(undefined, (real) => ({ ...real, tokens: { check } }));
    const started = await rig.start(sequences(1));
    await until(() => suspended === 1);
    await holdTree(await openFileStore(started.folder), OTHER_TEMPORAL, { isGone: () => true });
    // A check of the lease holds for 3 s.
    await delay(3_500);
    gate.resolve(null);
    await delay(3_000);
    expect(accepted(rig)).toEqual([]);
  });

  test('of a silent server elsewhere: what that one may have sent counts as a whole window', async (context) => {
    const rig = await open(context, { limit: 4, windowMs: 3_000 });
    const { folder, name } = await rig.run(sequences(2));
    await rig.stopWorker();
    await holdTree(await openFileStore(folder), OTHER_TEMPORAL, { isGone: () => true });
    // That it is silent is seen after half a minute.
    await rig.start(sequences(4), name);
    await rig.startWorker();
    const { reference } = settingsOf(rig, 'predictions');
    const budget = () => readBudget(rig.client, buildBudgetWorkflowId(reference));
    await until(async () => (await budget())?.rebuilt?.reason.includes('taken over'));
    // Longer than the window.
    await delay(5_000);
    expect((await budget())?.free).toBe(0);
    expect(accepted(rig)).toHaveLength(2);
  });
});

test('an item whose folder was removed while its job ran fails with the reason', async (context) => {
  const rig = await open(context, { jobMs: 5_000, policy: { retryMs: 500 } });
  const started = await rig.start(sequences(4));
  // Nothing is written there until the jobs have ended.
  await untilSent(started);
  await rm(join(started.folder, 'sequences', 'seq-1'), { recursive: true });
  rig.breaks('treeIsWhole', 'the folder of an item was removed');
  const progress = await started.handle.result();
  expect(progress.ended).toMatchObject({ succeeded: 3, failed: 1 });
  const { error } = await rowOf({ ...started, progress }, 'seq-1');
  expect(error).toContain('item.json is missing');
});
