/** Everything after the acceptance of a job is one activity, whose attempts continue where the previous one stopped. */
import { expect, test } from 'vitest';
import { itemWorkflowId } from '../../src/workflows/names.ts';
import { sequences, type Rig } from '../rig.ts';
import * as fate from './fates.ts';
import { keepsPromises, openWithGoBetween } from './faulty.ts';

test('only a failed download is repeated', async () => {
  const { rig, between } = await openWithGoBetween({ limit: 0, jobMs: 0 });
  const down = fate.answering(503, 'busy');
  fate.inflict(between, new Map([['seq-0', { csv: fate.times(2, down) }]]));
  const ran = await rig.run(sequences(1));
  expect(ran.progress.ended.succeeded).toBe(1);
  await keepsPromises(rig, ran);
  const asked = (part: string): number =>
    between.seen.filter(({ path }) => path.includes(part)).length;
  expect({
    csv: asked('format=csv'),
    metadata: asked('format=metadata'),
    history: asked('/history/'),
  }).toEqual({ csv: 3, metadata: 1, history: 1 });
  expect(await activitiesOf(rig, ran.name)).toEqual(['finishJob']);
});

test('a failed job leaves its log, and the activity writes the end itself', async () => {
  const { rig, between } = await openWithGoBetween({ limit: 0, jobMs: 0 });
  const failed = fate.answering(422, { status: 'FAILED', error: 'out of memory' });
  fate.inflict(between, new Map([['seq-0', { poll: failed }]]));
  const ran = await rig.run(sequences(1));
  expect(ran.progress.ended.failed).toBe(1);
  await keepsPromises(rig, ran);
  expect(await activitiesOf(rig, ran.name)).toEqual(['finishJob', 'keepFailed', 'conclude']);
});

async function activitiesOf(rig: Rig, campaign: string): Promise<string[]> {
  const handle = rig.client.workflow.getHandle(itemWorkflowId(campaign, 'seq-0'));
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled?.activityType?.name == null ? [] : [scheduled.activityType.name],
  );
}
