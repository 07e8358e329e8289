/** As with workers on two hosts, whose ledgers do not see each other: only the budget workflow limits. */
import { afterEach, expect, test } from 'vitest';
import { readBudget } from '../../src/activities/budget-status.ts';
import { budgetStart, reachBudget } from '../../src/activities/budget-start.ts';
import type { Dependencies } from '../../src/activities/dependencies.ts';
import type { BudgetSnapshot } from '../../src/budget/status.ts';
import { STATUS_MEMO } from '../../src/workflows/messages.ts';
import { budgetWorkflowId } from '../../src/workflows/names.ts';
import { atMostOneJob, neverOverBudget, noItemLost } from '../promises.ts';
import { Rig, sequences, type RigOptions, type Started } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const LIMITS = { limit: 4, windowMs: 8_000 };

const predictions = () => {
  const found = rig.settings.find(({ reference }) => reference.service === 'predictions');
  if (!found) throw new Error('the rig has a prediction service');
  return found;
};
const budget = () => rig.client.workflow.getHandle(budgetWorkflowId(predictions().reference));
const accepted = () => rig.services.journal().filter((entry) => entry.accepted).length;

/** A ledger that always has a slot, as one that has seen nothing. */
const OPEN = {
  reserve: () => ({ type: 'taken' }),
  close: () => undefined,
  reject: () => undefined,
  stop: () => undefined,
} as unknown as Dependencies['ledger'];

async function startWorker(): Promise<void> {
  await rig.startWorker(undefined, (real) => ({ ...real, ledger: OPEN }));
}

/** Of six rows, four have a job, and the window is full. */
async function halfway(options: RigOptions = {}): Promise<Started> {
  const limits = { ...LIMITS, limit: 0, believedLimit: LIMITS.limit };
  rig = await Rig.open({
    ...limits,
    engine: 'synthetic',
    jobMs: 20,
    watchEveryMs: 300,
    ...options,
  });
  await rig.stopWorker();
  await startWorker();
  const started = await rig.start(sequences(6));
  await expect.poll(accepted, { timeout: 20_000 }).toBe(LIMITS.limit);
  return started;
}

async function settled(): Promise<void> {
  const outstanding = async () => (await readBudget(rig.client, budget().workflowId))?.outstanding;
  await expect.poll(outstanding, { timeout: 20_000 }).toBe(0);
}

/** Like a worker that finds that it does not run. */
async function reach(): Promise<void> {
  const { reference, limit } = predictions();
  const { credential } = reference;
  const configuration = { credential, credentialLimit: limit };
  await reachBudget(rig.client, rig.taskQueue, reference, { configuration, reason: 'by hand' });
}

async function keepsPromises(started: Started): Promise<void> {
  expect((await started.handle.result()).ended.succeeded).toBe(6);
  await noItemLost(started.folder, started.ids);
  atMostOneJob(rig.services.journal(), 6);
  neverOverBudget(rig.services.journal(), LIMITS);
}

test('a budget that was terminated by hand', async () => {
  const started = await halfway();
  await settled();
  await budget().terminate('by hand');
  await keepsPromises(started);
}, 120_000);

test('a budget that was terminated while its submissions are in progress', async () => {
  const faults = [{ name: 'slow', endpoint: 'submit', ms: 3_000, times: 4 }] as const;
  const limits = { ...LIMITS, limit: 0, believedLimit: LIMITS.limit };
  rig = await Rig.open({ ...limits, engine: 'synthetic', jobMs: 20, watchEveryMs: 300, faults });
  await rig.stopWorker();
  await startWorker();
  const started = await rig.start(sequences(6));
  const outstanding = async () => (await readBudget(rig.client, budget().workflowId))?.outstanding;
  await expect.poll(outstanding, { timeout: 20_000 }).toBe(LIMITS.limit);
  await budget().terminate('by hand');
  await keepsPromises(started);
}, 180_000);

test('nothing is sent for a budget that was terminated after its grant', async () => {
  const limits = { ...LIMITS, limit: 0, believedLimit: LIMITS.limit };
  rig = await Rig.open({ ...limits, engine: 'synthetic', jobMs: 20, watchEveryMs: 300 });
  await rig.stopWorker();
  const gate = Promise.withResolvers<boolean>();
  let atTheFence = 0;
  let wereStopped = 0;
  await rig.startWorker(undefined, (real) => ({
    ...real,
    ledger: OPEN,
    fence: {
      pass: async (own) => {
        atTheFence += 1;
        await gate.promise;
        const passage = await real.fence.pass(own);
        if (passage === null) wereStopped += 1;
        return passage;
      },
    },
  }));
  await rig.start(sequences(6));
  await expect.poll(() => atTheFence, { timeout: 20_000 }).toBe(LIMITS.limit);
  await budget().terminate('by hand');
  gate.resolve(true);
  await expect.poll(() => wereStopped, { timeout: 20_000 }).toBe(LIMITS.limit);
  expect(accepted()).toBe(0);
}, 60_000);

test('a run of a budget that continues as new begins with the memo of the last', async () => {
  const started = await halfway();
  await settled();
  await rig.stopWorker();
  const { runId } = await budget().describe();
  // The suite's server suggests to continue as new after 300 events.
  await Promise.all(Array.from({ length: 310 }, () => budget().signal('nudge')));
  await startWorker();
  const current = async () => (await budget().describe()).runId;
  await expect.poll(current, { timeout: 20_000 }).not.toBe(runId);
  const { events = [] } = await budget().fetchHistory();
  const { memo } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  const text = Buffer.from(memo?.fields?.[STATUS_MEMO]?.data ?? []).toString();
  const written = JSON.parse(text) as BudgetSnapshot;
  expect(written.credentials[0]?.closes).toHaveLength(LIMITS.limit);
  await budget().terminate('by hand');
  await keepsPromises(started);
}, 120_000);

test('budgets that were terminated before their first task', async () => {
  const started = await halfway();
  await settled();
  await rig.stopWorker();
  for (let times = 0; times < 3; times += 1) {
    await budget().terminate('by hand');
    await reach();
  }
  await startWorker();
  await keepsPromises(started);
}, 120_000);

test('two terminations within a second, with two starters each', async () => {
  const started = await halfway();
  await settled();
  for (let times = 0; times < 2; times += 1) {
    await budget().terminate('by hand');
    await Promise.all([reach(), reach()]);
  }
  await keepsPromises(started);
}, 120_000);

test('a starter that was suspended after it had read the memo starts nothing', async () => {
  const started = await halfway();
  await settled();
  const { runId } = await budget().describe();
  await budget().terminate('by hand');
  await reach();
  const { runId: second } = await budget().describe();
  await budget().terminate('by hand');
  const late = { written: null, reason: 'late', run: runId };
  const { reference } = predictions();
  const { InternalWorkflowStartOptionsSymbol: internal } =
    await import('@temporalio/client/lib/internal.js');
  const options = {
    ...budgetStart(reference, rig.taskQueue, late),
    [internal]: { requestId: runId },
  };
  const handle = await rig.client.workflow.start('budget', options).catch(() => null);
  expect([second, undefined]).toContain(handle?.firstExecutionRunId);
  await keepsPromises(started);
}, 120_000);

test('a budget that was reset to its first task, as in the Temporal UI', async () => {
  const started = await halfway();
  await settled();
  const { runId } = await budget().describe();
  const { events = [] } = await budget().fetchHistory();
  const first = events?.find((event) => event.workflowTaskCompletedEventAttributes != null);
  await rig.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: budget().workflowId, runId },
    reason: 'by hand',
    requestId: runId,
    workflowTaskFinishEventId: first?.eventId ?? null,
  });
  await keepsPromises(started);
  expect((await readBudget(rig.client, budget().workflowId))?.rebuilt?.reason).toContain('reset');
}, 120_000);

test('a budget whose former memo cannot be read counts as full once', async () => {
  const started = await halfway();
  await settled();
  await rig.stopWorker();
  await budget().terminate('by hand');
  const { reference } = predictions();
  const { memo: _, ...options } = budgetStart(reference, rig.taskQueue);
  await rig.client.workflow.start('budget', options);
  expect((await budget().describe()).memo?.[STATUS_MEMO]).toBeUndefined();
  await budget().terminate('by hand');
  await startWorker();
  await keepsPromises(started);
}, 180_000);
