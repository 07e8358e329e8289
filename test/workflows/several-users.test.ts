/** A shared Temporal: users with tokens of their own on one task queue, and workers that have one role each. */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, test, type TestContext } from 'vitest';
import { readSnapshot } from '../../src/activities/budget-run.ts';
import { type Role, buildBudgetWorkflowId, publishTaskQueue } from '../../src/workflows/names.ts';
import { startWorker } from '../../src/worker.ts';
import { molecules, sequences, type Rig, type RigOptions } from '../rig.ts';
import { openRig, settingsOf, until } from './faulty.ts';

const budgetId = (rig: Rig) => buildBudgetWorkflowId(settingsOf(rig, 'predictions').reference);
const eventsOf = async (rig: Rig, workflowId: string) =>
  (await rig.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];

/** Two users. */
async function open(context: TestContext): Promise<readonly [Rig, Rig]> {
  const options: RigOptions = { limit: 10, windowMs: 2_000, sharesQueue: true };
  const rig = await openRig(options, context);
  const other = await rig.addUser('tK9another');
  context.onTestFinished(() => other.leave());
  return [rig, other];
}

/** Ends of submission tasks that a worker took without being able to send them. */
async function misplaced(rig: Rig): Promise<number> {
  return (await eventsOf(rig, budgetId(rig))).filter((event) => {
    const { payloads } = event.activityTaskCompletedEventAttributes?.result ?? {};
    const text = new TextDecoder().decode(payloads?.[0]?.data ?? new Uint8Array());
    return text.includes('"deferred"') || text.includes('no worker');
  }).length;
}

/** The task queues of a workflow's activities. */
async function queuesOf(rig: Rig, workflowId: string): Promise<Record<string, string>> {
  const scheduled = (await eventsOf(rig, workflowId)).flatMap(
    ({ activityTaskScheduledEventAttributes: one }) => one ?? [],
  );
  return Object.fromEntries(
    scheduled.map((one) => [one.activityType?.name ?? '', one.taskQueue?.name ?? '']),
  );
}

/** A worker without any token. */
async function startWithout(rig: Rig, roles: readonly Role[], context: TestContext) {
  const stateFolder = join(rig.folder, `state-${randomUUID()}`);
  await mkdir(stateFolder, { mode: 0o700 });
  const temporal = { address: inject('temporal'), namespace: 'default' };
  const { client, taskQueue } = rig;
  const own = { temporal, client, taskQueue, stateFolder };
  const worker = await startWorker({ ...own, services: [], roles });
  context.onTestFinished(() => worker.stop());
}

describe.concurrent('a shared Temporal', () => {
  test('two users complete side by side, each within the limit of their own token', async (context) => {
    const [rig, other] = await open(context);
    const all = await Promise.all([
      rig.run([...sequences(25), ...molecules(5)]),
      other.run([...sequences(50).slice(25), ...molecules(10).slice(5)]),
    ]);
    expect(all.map(({ progress }) => progress.ended.succeeded)).toEqual([30, 30]);
    const journal = rig.services.journal();
    expect(new Set(journal.map(({ token }) => token)).size).toBe(2);
    expect(await misplaced(rig), 'submissions that the wrong worker took up').toBe(0);
  });

  test('a user without a worker does not delay the other one', async (context) => {
    const [rig, other] = await open(context);
    await other.stopWorker();
    const waits = await other.start(sequences(60).slice(45));
    const ran = await rig.run(sequences(45));
    expect(ran.progress.ended.succeeded).toBe(45);
    const why = 'no worker with this token accepted the submission';
    const status = async () => JSON.stringify(await readSnapshot(rig.client, budgetId(other)));
    await until(async () => (await status()).includes(why));
    await other.startWorker();
    expect((await waits.handle.result()).ended.succeeded).toBe(15);
  });

  test('a campaign is finished by workers with one role each, of which only one has the tokens', async (context) => {
    const rig = await openRig({ sharesQueue: true, roles: ['submit', 'fetch'] }, context);
    await startWithout(rig, ['workflows'], context);
    await startWithout(rig, ['publish'], context);
    const { name, progress } = await rig.run([...sequences(12), ...molecules(4)]);
    expect(progress.ended.succeeded).toBe(16);
    expect(await queuesOf(rig, `item:${name}:seq-0`)).toMatchObject({
      finishJob: expect.stringMatching(/^fetch:predictions:/) as string,
    });
    expect(await queuesOf(rig, `campaign:${name}`)).toMatchObject({
      publish: publishTaskQueue(rig.taskQueue),
      loadPage: rig.taskQueue,
    });
    expect((await queuesOf(rig, budgetId(rig)))['submit']).toMatch(/^submit:predictions:/);
  });
});
