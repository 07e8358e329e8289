/** The workflow of an item starts with the answer to its submission: until then its row waits in the budget's queue. */
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { JobTimes } from '../../src/activities/job-times.ts';
import type { ServiceSettings } from '../../src/config/services.ts';
import { readItem } from '../../src/store/item-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { lookSignal } from '../../src/workflows/messages.ts';
import { budgetWorkflowId, itemWorkflowId } from '../../src/workflows/names.ts';
import { ATTRIBUTES } from '../../src/workflows/search-attributes.ts';
import { Rig, sequences, type RigOptions, type Started } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const open = async (options: RigOptions) =>
  (rig = await Rig.open({ engine: 'synthetic', jobMs: 20, concurrency: 0, ...options }));

const accepted = () => rig.services.journal().filter((entry) => entry.accepted).length;

/** Ids of the items whose workflow was started, running or not. */
async function begun(name: string): Promise<string[]> {
  const found: string[] = [];
  const query = `WorkflowType="item" AND ${ATTRIBUTES.campaign.name}="${name}"`;
  for await (const { typedSearchAttributes } of rig.client.workflow.list({ query }))
    found.push(typedSearchAttributes.get(ATTRIBUTES.item) ?? '');
  return found.sort();
}

async function recordOf({ folder }: Started, id: string) {
  return readItem(await openStore(folder, { create: false }), 'sequence', id);
}

test('waiting rows have no workflow, and each row with a job has one', async () => {
  await open({ limit: 3, windowMs: 3_600_000, jobMs: 60_000 });
  const started = await rig.start(sequences(8));
  await expect.poll(() => begun(started.name)).toHaveLength(3);
  const [id = ''] = await begun(started.name);
  const { typedSearchAttributes, staticSummary } = await rig.client.workflow
    .getHandle(itemWorkflowId(started.name, id))
    .describe()
    .then(async (found) => ({ ...found, staticSummary: await found.staticSummary() }));
  expect(typedSearchAttributes.get(ATTRIBUTES.state)).toBe('running');
  expect(typedSearchAttributes.get(ATTRIBUTES.remoteId)).toMatch(/./);
  expect(typedSearchAttributes.get(ATTRIBUTES.kind)).toBe('sequence');
  expect(staticSummary).toContain(id);
  await started.handle.cancel();
  const { ended } = await started.handle.result();
  expect(ended).toMatchObject({ succeeded: 0, failed: 0, cancelled: 8 });
  expect(accepted()).toBe(3);
});

test('the submissions of a burst come before the workflows of its accepted items', async () => {
  await open({
    limit: 2,
    windowMs: 3_600_000,
    faults: [{ name: 'slow', endpoint: 'submit', ms: 700, times: 1 }],
  });
  const started = await rig.start(sequences(2));
  expect((await started.handle.result()).ended.succeeded).toBe(2);
  const lastAnswer = await Promise.all(
    started.ids.map(async (id) => Date.parse((await recordOf(started, id))?.answeredAt ?? '')),
  ).then((times) => Math.max(...times));
  const begins = await Promise.all(
    started.ids.map(async (id) => {
      const item = rig.client.workflow.getHandle(itemWorkflowId(started.name, id));
      return (await item.describe()).startTime.getTime();
    }),
  );
  expect(Math.min(...begins)).toBeGreaterThanOrEqual(lastAnswer);
});

test('a worker notes when its jobs are accepted, for their first poll', async () => {
  await open({ limit: 0 });
  const accepted = vi.spyOn(JobTimes.prototype, 'accepted');
  onTestFinished(() => accepted.mockRestore());
  const started = await rig.start(sequences(2));
  expect((await started.handle.result()).ended.succeeded).toBe(2);
  const remoteIds = await Promise.all(
    started.ids.map(async (id) => (await recordOf(started, id))?.remoteId),
  );
  expect(accepted.mock.calls.flat().sort()).toEqual(remoteIds.sort());
});

test('a cancelled campaign waits for a submission in progress, and keeps its job', async () => {
  await open({
    limit: 1,
    windowMs: 3_600_000,
    jobMs: 60_000,
    faults: [{ name: 'slow', endpoint: 'submit', ms: 6_000 }],
  });
  const started = await rig.start(sequences(3));
  const notes = async () =>
    (await readdir(started.folder, { recursive: true })).filter((path) => /sending-0/.test(path));
  await expect.poll(notes).toHaveLength(1);
  expect(accepted(), 'a POST that is on its way').toBe(0);
  await started.handle.cancel();
  const { ended } = await started.handle.result();
  expect(ended).toMatchObject({ succeeded: 0, cancelled: 3 });
  expect(accepted()).toBe(1);
  const ids = await Promise.all(
    started.ids.map(async (id) => (await recordOf(started, id))?.remoteId ?? null),
  );
  expect(
    ids.filter((remoteId) => remoteId !== null),
    'jobs that the tree tells of',
  ).toHaveLength(1);
  const running = `${ATTRIBUTES.campaign.name}="${started.name}" AND ExecutionStatus="Running"`;
  await expect.poll(async () => (await rig.client.workflow.count(running)).count).toBe(0);
}, 60_000);

test('rows of a terminated campaign are not submitted, and the next run submits each once', async () => {
  const limits = { limit: 2, windowMs: 4_000 };
  await open(limits);
  const rows = sequences(6);
  const started = await rig.start(rows, 'ended-by-hand');
  await expect.poll(accepted).toBe(2);
  await started.handle.terminate('by hand');
  // The next window opens with nothing waiting.
  await delay(limits.windowMs + 2_000);
  expect(accepted()).toBe(2);
  const again = await rig.run(rows, 'ended-by-hand');
  expect(again.progress.ended.succeeded).toBe(6);
}, 60_000);

test('the budget starts the workflow of an item if the activity cannot', async () => {
  await open({ limit: 0 });
  await rig.stopWorker();
  let starts = 0;
  await rig.startWorker(rig.settings, (real) => ({
    ...real,
    get starter() {
      starts += 1;
      // Every second one fails, as if the server was away for a moment.
      if (starts % 2 === 1) throw new Error('the server is away');
      return real.starter;
    },
  }));
  const started = await rig.start(sequences(5));
  expect((await started.handle.result()).ended.succeeded).toBe(5);
  const { reference } = rig.settings[1] as ServiceSettings;
  const budget = rig.client.workflow.getHandle(budgetWorkflowId(reference));
  const { events = [] } = await budget.fetchHistory();
  const launched = (events ?? []).filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'launchItem',
  );
  expect(launched.length, 'items that the budget has begun').toBeGreaterThan(0);
}, 60_000);

test('a campaign that is cancelled while it reads its items is published with all of them', async () => {
  await open({ limit: 2, windowMs: 3_600_000, jobMs: 60_000 });
  const started = await rig.start(sequences(20));
  await expect.poll(accepted).toBe(2);
  await started.handle.signal(lookSignal);
  await started.handle.cancel();
  const { ended } = await started.handle.result();
  expect(ended).toMatchObject({ succeeded: 0, cancelled: 20 });
});
