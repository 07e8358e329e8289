/** As with workers on two hosts, whose ledgers do not see each other: only the budget workflow limits. */
import { describe, expect, test, type TestContext } from 'vitest';
import { readBudget } from '../../src/activities/budget-status.ts';
import { budgetStart, reachBudget } from '../../src/activities/budget-start.ts';
import type { Dependencies } from '../../src/activities/dependencies.ts';
import type { BudgetSnapshot } from '../../src/budget/status.ts';
import { STATUS_MEMO } from '../../src/workflows/messages.ts';
import { budgetWorkflowId } from '../../src/workflows/names.ts';
import { Rig, sequences, type RigOptions, type Started } from '../rig.ts';

/** A ledger that always has a slot, as one that has seen nothing. */
const OPEN = {
  reserve: () => ({ type: 'taken' }),
  close: () => undefined,
  reject: () => undefined,
  stop: () => undefined,
} as unknown as Dependencies['ledger'];

const LIMITS = { limit: 4, windowMs: 8_000 };

class Scene {
  readonly rig: Rig;

  private constructor(rig: Rig) {
    this.rig = rig;
  }

  /** The service counts nothing: only the budget keeps the limit. Without a worker. */
  static async open({ onTestFinished }: TestContext, options: RigOptions = {}): Promise<Scene> {
    const limits = { ...LIMITS, limit: 0, believedLimit: LIMITS.limit };
    const services = { engine: 'synthetic', jobMs: 20, watchEveryMs: 300 } as const;
    const rig = await Rig.open({ ...limits, ...services, ...options });
    onTestFinished(() => rig.close());
    await rig.stopWorker();
    return new Scene(rig);
  }

  /** Of six rows, four have a job, and the window is full. */
  static async halfway(context: TestContext): Promise<Scene & { readonly started: Started }> {
    const scene = await Scene.open(context);
    await scene.startWorker();
    const started = await scene.rig.start(sequences(6));
    await context.expect.poll(() => scene.accepted(), { timeout: 20_000 }).toBe(LIMITS.limit);
    const outstanding = async () => (await scene.status())?.outstanding;
    await context.expect.poll(outstanding, { timeout: 20_000 }).toBe(0);
    return Object.assign(scene, { started });
  }

  get predictions(): Rig['settings'][number] {
    const found = this.rig.settings.find(({ reference }) => reference.service === 'predictions');
    if (!found) throw new Error('the rig has a prediction service');
    return found;
  }

  get budget() {
    return this.rig.client.workflow.getHandle(budgetWorkflowId(this.predictions.reference));
  }

  status() {
    return readBudget(this.rig.client, this.budget.workflowId);
  }

  accepted(): number {
    return this.rig.services.journal().filter((entry) => entry.accepted).length;
  }

  async startWorker(): Promise<void> {
    await this.rig.startWorker(undefined, (real) => ({ ...real, ledger: OPEN }));
  }

  /** Like a worker that finds that it does not run. */
  async reach(): Promise<void> {
    const { reference, limit } = this.predictions;
    const { credential } = reference;
    const configuration = { credential, credentialLimit: limit };
    const { client, taskQueue } = this.rig;
    await reachBudget(client, taskQueue, reference, { configuration, reason: 'by hand' });
  }
}

async function allSucceed({ handle }: Started): Promise<void> {
  expect((await handle.result()).ended.succeeded).toBe(6);
}

/** Most of each test is waiting for a window: they run side by side, each with its own rig. */
describe.concurrent('a budget that is alone', () => {
  test('a budget that was terminated by hand', async (context) => {
    const scene = await Scene.halfway(context);
    await scene.budget.terminate('by hand');
    await allSucceed(scene.started);
  });

  test('a budget that was terminated while its submissions are in progress', async (context) => {
    const faults = [{ name: 'slow', endpoint: 'submit', ms: 3_000, times: 4 }] as const;
    const scene = await Scene.open(context, { faults });
    await scene.startWorker();
    const started = await scene.rig.start(sequences(6));
    const outstanding = async () => (await scene.status())?.outstanding;
    await context.expect.poll(outstanding, { timeout: 20_000 }).toBe(LIMITS.limit);
    await scene.budget.terminate('by hand');
    await allSucceed(started);
  });

  test('nothing is sent for a budget that was terminated after its grant', async (context) => {
    const scene = await Scene.open(context);
    const gate = Promise.withResolvers<boolean>();
    let atTheFence = 0;
    let wereStopped = 0;
    await scene.rig.startWorker(undefined, (real) => ({
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
    await scene.rig.start(sequences(6));
    await context.expect.poll(() => atTheFence, { timeout: 20_000 }).toBe(LIMITS.limit);
    await scene.budget.terminate('by hand');
    gate.resolve(true);
    await context.expect.poll(() => wereStopped, { timeout: 20_000 }).toBe(LIMITS.limit);
    expect(scene.accepted()).toBe(0);
  });

  test('a run of a budget that continues as new begins with the memo of the last', async (context) => {
    const scene = await Scene.halfway(context);
    await scene.rig.stopWorker();
    const { runId } = await scene.budget.describe();
    // The suite's server suggests to continue as new after 300 events.
    await Promise.all(Array.from({ length: 310 }, () => scene.budget.signal('nudge')));
    await scene.startWorker();
    const current = async () => (await scene.budget.describe()).runId;
    await context.expect.poll(current, { timeout: 20_000 }).not.toBe(runId);
    const { events = [] } = await scene.budget.fetchHistory();
    const { memo } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
    const text = Buffer.from(memo?.fields?.[STATUS_MEMO]?.data ?? []).toString();
    const written = JSON.parse(text) as BudgetSnapshot;
    expect(written.credentials[0]?.closes).toHaveLength(LIMITS.limit);
    await scene.budget.terminate('by hand');
    await allSucceed(scene.started);
  });

  test('budgets that were terminated before their first task', async (context) => {
    const scene = await Scene.halfway(context);
    await scene.rig.stopWorker();
    for (let times = 0; times < 3; times += 1) {
      await scene.budget.terminate('by hand');
      await scene.reach();
    }
    await scene.startWorker();
    await allSucceed(scene.started);
  });

  test('two terminations within a second, with two starters each', async (context) => {
    const scene = await Scene.halfway(context);
    for (let times = 0; times < 2; times += 1) {
      await scene.budget.terminate('by hand');
      await Promise.all([scene.reach(), scene.reach()]);
    }
    await allSucceed(scene.started);
  });

  test('a starter that was suspended after it had read the memo starts nothing', async (context) => {
    const scene = await Scene.halfway(context);
    const { runId } = await scene.budget.describe();
    await scene.budget.terminate('by hand');
    await scene.reach();
    const { runId: second } = await scene.budget.describe();
    await scene.budget.terminate('by hand');
    const late = { written: null, reason: 'late', run: runId };
    const { reference } = scene.predictions;
    const { InternalWorkflowStartOptionsSymbol: internal } =
      await import('@temporalio/client/lib/internal.js');
    const options = {
      ...budgetStart(reference, scene.rig.taskQueue, late),
      [internal]: { requestId: runId },
    };
    const handle = await scene.rig.client.workflow.start('budget', options).catch(() => null);
    expect([second, undefined]).toContain(handle?.firstExecutionRunId);
    await allSucceed(scene.started);
  });

  test('a budget that was reset to its first task, as in the Temporal UI', async (context) => {
    const scene = await Scene.halfway(context);
    const { runId } = await scene.budget.describe();
    const { events = [] } = await scene.budget.fetchHistory();
    const first = events?.find((event) => event.workflowTaskCompletedEventAttributes != null);
    await scene.rig.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: scene.budget.workflowId, runId },
      reason: 'by hand',
      requestId: runId,
      workflowTaskFinishEventId: first?.eventId ?? null,
    });
    await allSucceed(scene.started);
    expect((await scene.status())?.rebuilt?.reason).toContain('reset');
  });

  test('a budget whose former memo cannot be read counts as full once', async (context) => {
    const scene = await Scene.halfway(context);
    await scene.rig.stopWorker();
    await scene.budget.terminate('by hand');
    const { reference } = scene.predictions;
    const { memo: _, ...options } = budgetStart(reference, scene.rig.taskQueue);
    await scene.rig.client.workflow.start('budget', options);
    expect((await scene.budget.describe()).memo?.[STATUS_MEMO]).toBeUndefined();
    await scene.budget.terminate('by hand');
    await scene.startWorker();
    await allSucceed(scene.started);
  });
});
