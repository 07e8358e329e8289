/**
 * Campaigns are run through every branch of the workflows, and their histories replayed at once with the same code. A
 * workflow whose decisions depend on more than its history, such as a clock or the order of two promises, would stop
 * for good in the next worker.
 */
import { describe, expect, test } from 'vitest';
import {
  buildBudgetWorkflowId,
  buildCampaignWorkflowId,
  buildItemWorkflowId,
} from '../../src/workflows/names.ts';
import { molecules, sequences, type Rig, type RigOptions, type Started } from '../rig.ts';
import { openRig, until } from '../workflows/faulty.ts';
import { retried } from '../workflows/reopening.ts';
import { replaysEveryHistory } from './every-history.ts';

/** Lost answers, refusals and jobs that fail. */
const FAULTS: NonNullable<RigOptions['faults']> = [
  { name: 'reset-after', service: 'predictions', times: 2 },
  { name: 'rate-limit', service: 'predictions', times: 1 },
  { name: 'reject', service: 'predictions', times: 1 },
  { name: 'fail', service: 'predictions', times: 1 },
  { name: 'reset-after', service: 'molecules', times: 1 },
];

describe.concurrent('every history is replayed of a campaign', () => {
  test('with lost answers, refusals and failures, paused, resumed and checked meanwhile', async (context) => {
    const options = { jobMs: 500, limit: 6, windowMs: 1_500, policy: { lostAfterMs: 1_000 } };
    const rig = await openRig({ ...options, faults: FAULTS }, context);
    const started = await rig.start([...sequences(24), ...molecules(3)]);
    await hasBegun(rig);
    rig.breaks('neverRefusedForRate', 'the service refuses one for the test');
    // Not one whose answer was lost as well: it would rightly be sent again, under the same name.
    rig.services.faults.set([{ name: 'lose', service: 'predictions', times: 1 }]);
    for (const signal of ['pause', 'resume', 'recheck']) await started.handle.signal(signal);
    await replays(rig, started);
  });

  test('with rows that are added', async (context) => {
    const rig = await openRig({ limit: 4, windowMs: 1_500 }, context);
    const { name } = await rig.start(sequences(6));
    await hasBegun(rig);
    await replays(rig, await rig.start(sequences(10), name));
  });

  test('cancelled while rows wait, a submission is in progress and jobs run', async (context) => {
    const faults = [{ name: 'slow', endpoint: 'submit', ms: 500 }] as const;
    const options = { jobMs: 60_000, limit: 5, windowMs: 3_600_000, faults };
    const rig = await openRig(options, context);
    const started = await rig.start(sequences(12));
    await hasBegun(rig);
    await started.handle.cancel();
    await replays(rig, started);
  });

  test('retried: the former job is looked up and given up, and another one is submitted', async (context) => {
    const rig = await openRig({ limit: 0, faults: [{ name: 'fail' }] }, context);
    const rows = [...sequences(2), ...molecules(1)];
    const first = await rig.start(rows);
    await first.handle.result();
    rig.services.faults.clear();
    await replays(rig, await retried(rig, first, rows));
  });

  test('continued as new', async (context) => {
    const rig = await openRig({ limit: 0 }, context);
    await rig.stopWorker();
    const started = await rig.start(sequences(8));
    const long = workflowsOf(rig, { ...started, ids: [] });
    // The suite's server suggests to continue as new after 300 events.
    for (const handle of long.map((id) => rig.client.workflow.getHandle(id)))
      await Promise.all(Array.from({ length: 310 }, () => handle.signal('nudge')));
    await rig.startWorker();
    const ends = await replays(rig, started);
    for (const id of long) expect(ends.get(id), id).toContain('CONTINUED_AS_NEW');
  });
});

/** Replays all runs of its workflows after its end. */
async function replays(rig: Rig, started: Started): Promise<Map<string, string[]>> {
  await started.handle.result();
  return replaysEveryHistory(rig.client, workflowsOf(rig, started));
}

function workflowsOf(rig: Rig, { name, ids }: Pick<Started, 'name' | 'ids'>): string[] {
  const budgets = rig.settings.map(({ reference }) => buildBudgetWorkflowId(reference));
  return [
    buildCampaignWorkflowId(name),
    ...budgets,
    ...ids.map((id) => buildItemWorkflowId(name, id)),
  ];
}

async function hasBegun(rig: Rig): Promise<void> {
  await until(() => rig.services.journal().length > 3);
}
