/** Everything after the acceptance of a job is one activity, whose attempts continue where the previous one stopped. */
import { Context } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { itemDoneSignal } from '../../src/workflows/messages.ts';
import { itemWorkflowId } from '../../src/workflows/names.ts';
import { sequences, type Rig } from '../rig.ts';
import * as fate from './fates.ts';
import { openRig, openWithGoBetween } from './faulty.ts';

test('only a failed download is repeated, and only a failed job needs further activities', async () => {
  const { rig, between } = await openWithGoBetween({ limit: 0, jobMs: 0 });
  const failed = fate.answering(422, { status: 'FAILED', error: 'out of memory' });
  const fates: [string, fate.Fate][] = [
    ['seq-0', { csv: fate.times(2, fate.answering(503, 'busy')) }],
    ['seq-1', { poll: failed }],
  ];
  fate.inflict(between, new Map(fates));
  const ran = await rig.run(sequences(2));
  expect(ran.progress.ended).toMatchObject({ succeeded: 1, failed: 1 });
  const asked = (part: string): number =>
    between.seen.filter(({ path }) => path.includes(part)).length;
  expect({
    csv: asked('format=csv'),
    metadata: asked('format=metadata'),
    // The failed job's as well.
    history: asked('/history/'),
  }).toEqual({ csv: 3, metadata: 1, history: 2 });
  expect(await activitiesOf(rig, ran.name, 'seq-0')).toEqual(['finishJob']);
  expect(await activitiesOf(rig, ran.name, 'seq-1')).toEqual([
    'finishJob',
    'keepFailed',
    'conclude',
  ]);
});

test('an item whose disk is full while it is cancelled ends as cancelled, not as failed', async () => {
  const rig = await openRig({ limit: 0, jobMs: 0 });
  await rig.stopWorker();
  const asked = Promise.withResolvers<null>();
  const requested = Promise.withResolvers<null>();
  await rig.startWorker(rig.settings, (real) => ({
    ...real,
    openStore: async (folder, options) => {
      if (Context.current().info.activityType !== 'finishJob')
        return real.openStore(folder, options);
      asked.resolve(null);
      await requested.promise;
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    },
  }));
  const started = await rig.start(sequences(1));
  await asked.promise;
  await started.handle.cancel();
  const item = rig.client.workflow.getHandle(itemWorkflowId(started.name, 'seq-0'));
  const isRequested = async () =>
    ((await item.fetchHistory()).events ?? []).some(
      (event) => event.activityTaskCancelRequestedEventAttributes != null,
    );
  await expect.poll(isRequested).toBe(true);
  requested.resolve(null);
  const progress = await started.handle.result();
  expect(progress.ended).toMatchObject({ cancelled: 1, failed: 0 });
});

test('the campaign is notified after the downloads of jobs that end at the same time', async () => {
  const slow = { name: 'slow', endpoint: 'download', ms: 600 } as const;
  const rig = await openRig({ limit: 2, windowMs: 3_600_000, faults: [slow] });
  const ran = await rig.run(sequences(2));
  expect(ran.progress.ended.succeeded).toBe(2);
  const { events } = await ran.handle.fetchHistory();
  const signals = (events ?? []).flatMap(
    (event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [],
  );
  expect(signals.filter((name) => name === itemDoneSignal.name)).toHaveLength(1);
});

async function activitiesOf(rig: Rig, campaign: string, id: string): Promise<string[]> {
  const handle = rig.client.workflow.getHandle(itemWorkflowId(campaign, id));
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled?.activityType?.name == null ? [] : [scheduled.activityType.name],
  );
}
