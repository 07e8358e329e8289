/**
 * Campaigns are run through every branch of the workflows, and their histories replayed at once with the same code. A
 * workflow whose decisions depend on more than its history, such as a clock or the order of two promises, would stop
 * for good in the next worker.
 */
import { afterEach, expect, test } from 'vitest';
import { ifFound } from '../../src/activities/if-found.ts';
import { budgetWorkflowId, campaignWorkflowId, itemWorkflowId } from '../../src/workflows/names.ts';
import { molecules, Rig, sequences, type RigOptions, type Started } from '../rig.ts';
import { retried } from '../workflows/reopening.ts';
import { replaysEveryHistory } from './every-history.ts';

const QUICK: RigOptions = { engine: 'synthetic', jobMs: 20, concurrency: 0 };

/** Lost answers, refusals and jobs that fail. */
const FAULTS: NonNullable<RigOptions['faults']> = [
  { name: 'reset-after', service: 'predictions', times: 2 },
  { name: 'rate-limit', service: 'predictions', times: 1 },
  { name: 'reject', service: 'predictions', times: 1 },
  { name: 'fail', service: 'predictions', times: 1 },
  { name: 'reset-after', service: 'molecules', times: 1 },
];

let rig: Rig;
afterEach(async () => rig.close());

test('with lost answers, refusals and failures, paused, resumed and checked meanwhile', async () => {
  const policy = { lostAfterMs: 1_000 };
  rig = await Rig.open({ ...QUICK, jobMs: 500, limit: 6, windowMs: 1_500, faults: FAULTS, policy });
  const started = await rig.start([...sequences(24), ...molecules(3)]);
  await hasBegun();
  rig.breaks('neverRefusedForRate', 'the service refuses one for the test');
  // Not one whose answer was lost as well: it would rightly be sent again, under the same name.
  rig.services.faults.set([{ name: 'lose', service: 'predictions', times: 1 }]);
  for (const signal of ['pause', 'resume', 'look']) await started.handle.signal(signal);
  for (const id of started.ids)
    await ifFound(rig.client.workflow.getHandle(itemWorkflowId(started.name, id)).signal('ask'));
  await started.handle.result();
  await replays(started);
});

test('with rows that are added', async () => {
  rig = await Rig.open({ ...QUICK, limit: 4, windowMs: 1_500 });
  const { name } = await rig.start(sequences(6));
  await hasBegun();
  const grown = await rig.start(sequences(10), name);
  await grown.handle.result();
  await replays(grown);
});

test('cancelled while rows wait, a submission is in progress and jobs run', async () => {
  const faults = [{ name: 'slow', endpoint: 'submit', ms: 500 }] as const;
  rig = await Rig.open({ ...QUICK, jobMs: 60_000, limit: 5, windowMs: 3_600_000, faults });
  const started = await rig.start(sequences(12));
  await hasBegun();
  await started.handle.cancel();
  await started.handle.result();
  await replays(started);
});

test('retried: the former job is looked up and given up, and another one is submitted', async () => {
  rig = await Rig.open({ ...QUICK, limit: 0, faults: [{ name: 'fail' }] });
  const rows = [...sequences(2), ...molecules(1)];
  const first = await rig.start(rows);
  await first.handle.result();
  rig.services.faults.clear();
  await replays(await retried(rig, first, rows));
});

test('continued as new', async () => {
  rig = await Rig.open({ ...QUICK, limit: 0 });
  await rig.stopWorker();
  const started = await rig.start(sequences(8));
  const [campaign = '', ...budgets] = workflowsOf({ ...started, ids: [] });
  for (const id of [campaign, ...budgets]) await lengthen(id);
  await rig.startWorker();
  await started.handle.result();
  for (const id of [campaign, ...budgets]) expect(await endsOf(id)).toContain('CONTINUED_AS_NEW');
  await replays(started);
});

async function replays(started: Started): Promise<void> {
  await replaysEveryHistory(rig.client, workflowsOf(started));
}

function workflowsOf({ name, ids }: Pick<Started, 'name' | 'ids'>): string[] {
  const budgets = rig.settings.map(({ reference }) => budgetWorkflowId(reference));
  return [campaignWorkflowId(name), ...budgets, ...ids.map((id) => itemWorkflowId(name, id))];
}

/** The suite's server suggests to continue as new after 300 events. */
async function lengthen(workflowId: string): Promise<void> {
  const handle = rig.client.workflow.getHandle(workflowId);
  await Promise.all(Array.from({ length: 310 }, () => handle.signal('nudge')));
}

/** How the runs of a workflow ended. */
async function endsOf(workflowId: string): Promise<string[]> {
  const ends: string[] = [];
  const query = `WorkflowId="${workflowId}"`;
  for await (const { status } of rig.client.workflow.list({ query })) ends.push(status.name);
  return ends;
}

async function hasBegun(): Promise<void> {
  await expect.poll(() => rig.services.journal().length).toBeGreaterThan(3);
}
