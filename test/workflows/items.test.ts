/** The workflow of an item: begun by the answer to its submission, short in its history, and its end when cancelled. */
import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, type TestContext } from 'vitest';
import { readItem } from '../../src/store/item-store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { recheckSignal } from '../../src/workflows/messages.ts';
import { buildItemWorkflowId, ATTRIBUTES } from '../../src/workflows/names.ts';
import { sequences, type Rig, type Started } from '../rig.ts';
import * as fate from './fates.ts';
import { accepted, openRig, openWithGoBetween, until } from './faulty.ts';

const HOUR = 3_600_000;
const itemOf = (rig: Rig, { name }: Pick<Started, 'name'>, id: string) =>
  rig.client.workflow.getHandle(buildItemWorkflowId(name, id));
const eventsOf = async (rig: Rig, workflowId: string) =>
  (await rig.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];

async function activitiesOf(rig: Rig, workflowId: string): Promise<string[]> {
  return (await eventsOf(rig, workflowId)).flatMap(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
  );
}

describe.concurrent('the workflow of an item', () => {
  test('exists for each row with a job alone; cancelled while they are read, all rows end', async (context) => {
    const rig = await openRig({ limit: 3, windowMs: HOUR, jobMs: 60_000 }, context);
    const started = await rig.start(sequences(20));
    const begun: string[] = [];
    await until(async () => {
      begun.splice(0);
      const query = `WorkflowType="item" AND ${ATTRIBUTES.campaign.name}="${started.name}"`;
      for await (const { typedSearchAttributes } of rig.client.workflow.list({ query }))
        begun.push(typedSearchAttributes.get(ATTRIBUTES.item) ?? '');
      return begun.length === 3;
    });
    const [id = ''] = begun;
    const described = await itemOf(rig, started, id).describe();
    const { typedSearchAttributes } = described;
    expect(typedSearchAttributes.get(ATTRIBUTES.state)).toBe('running');
    expect(typedSearchAttributes.get(ATTRIBUTES.remoteId)).toMatch(/./);
    expect(typedSearchAttributes.get(ATTRIBUTES.kind)).toBe('sequence');
    expect(await described.staticSummary()).toContain(id);
    await started.handle.signal(recheckSignal);
    await started.handle.cancel();
    const { ended } = await started.handle.result();
    expect(ended).toMatchObject({ succeeded: 0, failed: 0, cancelled: 20 });
    expect(accepted(rig)).toHaveLength(3);
  });

  test('is waited for if the campaign is cancelled during its submission, and keeps its job', async (context) => {
    const faults = [{ name: 'slow', endpoint: 'submit', ms: 6_000 }] as const;
    const rig = await openRig({ limit: 1, windowMs: HOUR, jobMs: 60_000, faults }, context);
    const started = await rig.start(sequences(3));
    const files = () => readdir(started.folder, { recursive: true });
    await until(async () => (await files()).some((path) => path.includes('sending-0')));
    expect(accepted(rig), 'a POST that is on its way').toEqual([]);
    await started.handle.cancel();
    expect((await started.handle.result()).ended).toMatchObject({ succeeded: 0, cancelled: 3 });
    expect(accepted(rig)).toHaveLength(1);
    const store = await openStore(started.folder, { create: false });
    const records = started.ids.map(async (id) => readItem(store, 'sequence', id));
    const jobs = (await Promise.all(records)).filter((record) => record?.remoteId);
    expect(jobs, 'jobs that the tree tells of').toHaveLength(1);
    const query = `${ATTRIBUTES.campaign.name}="${started.name}" AND ExecutionStatus="Running"`;
    await until(async () => (await rig.client.workflow.count(query)).count === 0);
  });

  test('is not begun for rows of a terminated campaign, and the next run submits each once', async (context) => {
    const rig = await openRig({ limit: 2, windowMs: 4_000 }, context);
    const rows = sequences(6);
    const started = await rig.start(rows, 'ended-by-hand');
    await until(() => accepted(rig).length === 2);
    await started.handle.terminate('by hand');
    // The next window opens with nothing waiting.
    await delay(6_000);
    expect(accepted(rig)).toHaveLength(2);
    const again = await rig.run(rows, 'ended-by-hand');
    expect(again.progress.ended.succeeded).toBe(6);
  });

  test('is begun by another attempt if its start fails', async (context) => {
    const rig = await openRig({ limit: 0 }, context);
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
    expect((await rig.run(sequences(5))).progress.ended.succeeded).toBe(5);
    expect(starts, 'attempts to begin an item').toBeGreaterThan(5);
  });
});

/** The kinds of events of the only item of a campaign, and how often the server started its activity. */
async function itemThatRuns(jobMs: number, context: TestContext) {
  const rig = await openRig({ jobMs, limit: 0 }, context);
  const { name } = await rig.run(sequences(1));
  // It may end after its campaign.
  await itemOf(rig, { name }, 'seq-0').result();
  const events = await eventsOf(rig, buildItemWorkflowId(name, 'seq-0'));
  const kinds = events
    .flatMap((event) => Object.entries(event))
    // Signals that arrive together share workflow tasks, others do not: they are left out.
    .filter(([key, value]) => value && /^(?!workflowTask).*EventAttributes$/.test(key))
    .map(([key]) => key)
    .sort();
  const attempts = events.map((one) => one.activityTaskStartedEventAttributes?.attempt ?? 0);
  return { kinds, calls: Math.max(...attempts) };
}

describe.concurrent('the history of an item', () => {
  test('that is polled many times is that of one that was polled once', async (context) => {
    const [quick, slow] = await Promise.all([
      itemThatRuns(1, context),
      itemThatRuns(14_000, context),
    ]);
    // An attempt polls several times, for five seconds; then the server retries.
    expect(slow.calls, 'calls').toBeGreaterThanOrEqual(2);
    expect(slow.kinds).toEqual(quick.kinds);
    expect(quick.kinds).toContain('activityTaskCompletedEventAttributes');
  });

  test('has one activity, which repeats only a failed download', async (context) => {
    const options = { limit: 0, jobMs: 0 };
    const { rig, between } = await openWithGoBetween(options, context);
    const failed = fate.answering(422, { status: 'FAILED', error: 'out of memory' });
    const fates: [string, fate.Fate][] = [
      ['seq-0', { csv: fate.times(2, fate.answering(503, 'busy')) }],
      ['seq-1', { poll: failed }],
    ];
    fate.inflict(between, new Map(fates));
    const { name, progress } = await rig.run(sequences(2));
    expect(progress.ended).toMatchObject({ succeeded: 1, failed: 1 });
    const asked = (part: string) => between.seen.filter(({ path }) => path.includes(part)).length;
    expect(asked('format=csv')).toBe(3);
    expect(asked('format=metadata')).toBe(1);
    // The failed job's as well.
    expect(asked('/history/')).toBe(2);
    const activities = (id: string) => activitiesOf(rig, buildItemWorkflowId(name, id));
    for (const id of ['seq-0', 'seq-1']) expect(await activities(id)).toEqual(['finishJob']);
    // What the Temporal UI shows as status, and under Failures.
    const handle = (id: string) => rig.client.workflow.getHandle(buildItemWorkflowId(name, id));
    await expect(handle('seq-0').result()).resolves.toMatchObject({ state: 'succeeded' });
    await expect(handle('seq-1').result()).rejects.toMatchObject({
      cause: { type: 'JOB_FAILED', message: 'out of memory' },
    });
  });
});
