/** Several users with tokens of their own share a Temporal, a task queue and the address of a service. */
import { afterEach, describe, expect, test } from 'vitest';
import { readSnapshot } from '../../src/activities/budget-status.ts';
import { budgetWorkflowId } from '../../src/workflows/names.ts';
import { molecules, Rig, sequences, workerLog } from '../rig.ts';

const OTHER = 'tK9another';

let rig: Rig;
let other: Rig;
afterEach(async () => {
  await other.leave();
  await rig.close();
});

interface Limits {
  readonly limit: number;
  readonly windowMs: number;
  readonly addressLimit?: number;
}

async function open(limits: Limits): Promise<void> {
  const services = { engine: 'synthetic', jobMs: 20, concurrency: 0 } as const;
  rig = await Rig.open({ ...limits, ...services, sharesQueue: true });
  other = await rig.addUser(OTHER);
}

function budgetId(): string {
  const reference = rig.settings[1]?.reference;
  if (!reference) throw new Error('no prediction service');
  return budgetWorkflowId(reference);
}

/** Ends of submission tasks that a worker took without being able to send them. */
async function misplaced(): Promise<number> {
  const { events } = await rig.client.workflow.getHandle(budgetId()).fetchHistory();
  return (events ?? []).filter((event) => {
    const { payloads } = event.activityTaskCompletedEventAttributes?.result ?? {};
    const text = new TextDecoder().decode(payloads?.[0]?.data ?? new Uint8Array());
    return text.includes('"deferred"') || text.includes('no worker');
  }).length;
}

describe('two users', () => {
  test('complete side by side, each within the limit of their own token', async () => {
    const limits = { limit: 10, windowMs: 2_000 };
    await open(limits);
    const all = await Promise.all([
      rig.run([...sequences(30), ...molecules(5)]),
      other.run([...sequences(60).slice(30), ...molecules(10).slice(5)]),
    ]);
    expect(all.map(({ progress }) => progress.ended.succeeded)).toEqual([35, 35]);
    const journal = rig.services.journal();
    expect(new Set(journal.map(({ token }) => token)).size).toBe(2);
    expect(await misplaced(), 'submissions that the wrong worker took up').toBe(0);
    expect(workerLog.join('\n')).not.toMatch(/no worker here serves/);
  });

  test('complete below a ceiling of their address that nobody has configured', async () => {
    const limits = { limit: 10, windowMs: 2_000 };
    await open({ ...limits, addressLimit: 12 });
    rig.breaks('neverRefusedForRate', 'nobody has told the ceiling of the address');
    const all = await Promise.all([rig.run(sequences(20)), other.run(sequences(40).slice(20))]);
    expect(all.map(({ progress }) => progress.ended.succeeded)).toEqual([20, 20]);
    const journal = rig.services.journal();
    const rejected = journal.filter(({ status }) => status === 429).length;
    expect(rejected, 'refused for the ceiling').toBeGreaterThan(0);
    expect(rejected, 'and obeyed').toBeLessThan(40);
  });

  test('of which one has no worker do not delay each other', async () => {
    await open({ limit: 10, windowMs: 2_000 });
    await other.stopWorker();
    const waits = await other.start(sequences(60).slice(45));
    const ran = await rig.run(sequences(45));
    expect(ran.progress.ended.succeeded).toBe(45);
    await expect
      .poll(async () => JSON.stringify(await readSnapshot(rig.client, budgetId())))
      .toContain('no worker with this token accepted the submission');
    await other.startWorker();
    const progress = await waits.handle.result();
    expect(progress.ended.succeeded).toBe(15);
  });
});
