/** As with workers on two hosts, whose ledgers do not see each other: only the budget workflow limits. */
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test, type TestContext } from 'vitest';
import {
  readBudget,
  buildBudgetStart,
  startOrFindBudget,
} from '../../src/activities/budget-run.ts';
import { nullIfNotFound } from '../../src/activities/retry.ts';
import type { Dependencies } from '../../src/activities/dependencies.ts';
import { countJobs } from '../../src/budget/policy.ts';
import type { BudgetSnapshot } from '../../src/budget/status.ts';
import { STATUS_MEMO } from '../../src/workflows/messages.ts';
import { buildBudgetWorkflowId } from '../../src/workflows/names.ts';
import { sequences, type Rig, type RigOptions, type Started } from '../rig.ts';
import { accepted, openRig, settingsOf, until } from './faulty.ts';

/** A ledger that always has a slot, as one that has seen nothing. */
const OPEN = {
  reserve: () => ({ type: 'taken', id: 'a row' }),
  charge: () => undefined,
  free: () => undefined,
  readAnswer: () => null,
  stop: () => undefined,
} as unknown as Dependencies['ledger'];

const LIMITS = { limit: 4, windowMs: 8_000 };

class Scene {
  readonly rig: Rig;
  readonly predictions: Rig['settings'][number];
  readonly budget: WorkflowHandle;
  /** Six rows. */
  started: Started | null = null;

  private constructor(rig: Rig) {
    this.rig = rig;
    this.predictions = settingsOf(rig, 'predictions');
    this.budget = rig.client.workflow.getHandle(buildBudgetWorkflowId(this.predictions.reference));
  }

  /** The service counts nothing: only the budget keeps the limit. Without a worker. */
  static async open(context: TestContext, options: RigOptions = {}): Promise<Scene> {
    const limits = { ...LIMITS, limit: 0, believedLimit: LIMITS.limit };
    const rig = await openRig({ ...limits, watchEveryMs: 300, ...options }, context);
    await rig.stopWorker();
    return new Scene(rig);
  }

  /** Of six rows, four have a job, and the window is full. */
  static async halfway(context: TestContext, options?: RigOptions): Promise<Scene> {
    const scene = await Scene.open(context, options);
    await scene.start();
    await until(() => accepted(scene.rig).length === LIMITS.limit);
    await until(async () => (await scene.status())?.outstanding === 0);
    return scene;
  }

  async start(): Promise<void> {
    await this.startWorker();
    this.started = await this.rig.start(sequences(6));
  }

  async allSucceed(): Promise<void> {
    expect((await this.started?.handle.result())?.ended.succeeded).toBe(6);
  }

  status() {
    return readBudget(this.rig.client, this.budget.workflowId);
  }

  /** The next run begins with a full window, which for jobs of unknown age lasts more than a minute. */
  async beginsFull(): Promise<void> {
    const rows = async () => (await this.status())?.use.reduce((sum, one) => sum + one.waiting, 0);
    await until(async () => (await this.status())?.rebuilt);
    await until(async () => ((await rows()) ?? 0) >= 2);
    await delay(LIMITS.windowMs / 2);
    expect(accepted(this.rig).length).toBeLessThanOrEqual(LIMITS.limit);
  }

  async terminate(): Promise<void> {
    await this.budget.terminate('by hand');
  }

  async startWorker(more: (real: Dependencies) => Partial<Dependencies> = () => ({})) {
    await this.rig.startWorker(undefined, (real) => ({ ...real, ledger: OPEN, ...more(real) }));
  }

  /** Like a worker that finds that it does not run. */
  async reach(more: object = {}): Promise<void> {
    const { reference, policy } = this.predictions;
    const configuration = { policy, ...more };
    const { client, taskQueue } = this.rig;
    await startOrFindBudget(client, taskQueue, reference, { configuration, reason: 'by hand' });
  }
}

/** Most of each test is waiting for a window: they run side by side, each with its own rig. */
describe.concurrent('a budget that is alone', () => {
  test('a budget that was terminated while its submissions are in progress', async (context) => {
    const faults = [{ name: 'slow', endpoint: 'submit', ms: 3_000, times: 4 }] as const;
    const scene = await Scene.open(context, { faults });
    await scene.start();
    await until(async () => (await scene.status())?.outstanding === LIMITS.limit);
    await scene.terminate();
    await scene.beginsFull();
  });

  test('nothing is sent for a budget that was terminated after its grant', async (context) => {
    const scene = await Scene.open(context);
    const gate = Promise.withResolvers<boolean>();
    const fences = { reached: 0, shut: 0 };
    await scene.startWorker((real) => ({
      fence: {
        isAwaited: (run) => real.fence.isAwaited(run),
        pass: async (own) => {
          fences.reached += 1;
          await gate.promise;
          const passage = await real.fence.pass(own);
          if (passage === null) fences.shut += 1;
          return passage;
        },
      },
    }));
    await scene.rig.start(sequences(6));
    await until(() => fences.reached === LIMITS.limit);
    await scene.terminate();
    gate.resolve(true);
    await until(() => fences.shut === LIMITS.limit);
    expect(accepted(scene.rig)).toEqual([]);
  });

  test('a run of a budget that continues as new begins with the charges and the memo of the last', async (context) => {
    const scene = await Scene.halfway(context, { windowMs: 600_000 });
    await scene.rig.stopWorker();
    const { runId } = await scene.budget.describe();
    // The suite's server suggests to continue as new after 300 events.
    await Promise.all(Array.from({ length: 310 }, () => scene.budget.signal('nudge')));
    await scene.startWorker();
    await until(async () => (await scene.budget.describe()).runId !== runId);
    const { events = [] } = await scene.budget.fetchHistory();
    const { memo } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
    const text = Buffer.from(memo?.fields?.[STATUS_MEMO]?.data ?? []).toString();
    const { closes } = JSON.parse(text) as BudgetSnapshot;
    expect(countJobs(closes)).toBe(LIMITS.limit);
    await delay(2_000);
    expect((await scene.status())?.free).toBe(0);
    await scene.terminate();
    await scene.beginsFull();
  });

  test('terminations before the first task, and two within a second, with two starters each', async (context) => {
    const scene = await Scene.halfway(context);
    await scene.rig.stopWorker();
    await scene.terminate();
    await scene.reach();
    await scene.terminate();
    await scene.startWorker();
    for (let times = 0; times < 2; times += 1) {
      await scene.terminate();
      await Promise.all([scene.reach(), scene.reach()]);
    }
    await scene.allSucceed();
  });

  test('a starter that was suspended after it had read the memo starts nothing', async (context) => {
    const scene = await Scene.halfway(context);
    const { runId } = await scene.budget.describe();
    await scene.terminate();
    await scene.reach();
    const { runId: second } = await scene.budget.describe();
    await scene.terminate();
    const late = { written: null, reason: 'late', run: runId };
    const { reference } = scene.predictions;
    const { InternalWorkflowStartOptionsSymbol: internal } =
      await import('@temporalio/client/lib/internal.js');
    const options = {
      ...buildBudgetStart(reference, scene.rig.taskQueue, late),
      [internal]: { requestId: runId },
    };
    const handle = await scene.rig.client.workflow.start('budget', options).catch(() => null);
    expect([second, undefined]).toContain(handle?.firstExecutionRunId);
    await scene.allSucceed();
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
    await scene.allSucceed();
    expect((await scene.status())?.rebuilt?.reason).toContain('reset');
  });

  test('a budget whose former memo cannot be read counts as full once', async (context) => {
    const scene = await Scene.halfway(context);
    await scene.rig.stopWorker();
    await scene.terminate();
    const { reference } = scene.predictions;
    const { memo: _, ...options } = buildBudgetStart(reference, scene.rig.taskQueue);
    await scene.rig.client.workflow.start('budget', options);
    expect((await scene.budget.describe()).memo?.[STATUS_MEMO]).toBeUndefined();
    await scene.terminate();
    await scene.startWorker();
    await scene.beginsFull();
  });

  test('a budget that is not found, with a window that Temporal does not remember, counts as full once', async (context) => {
    const scene = await Scene.open(context);
    const policy = {
      ...scene.predictions.policy,
      windows: [{ limit: 4, windowMs: 49 * 3_600_000 }],
    };
    await scene.terminate();
    const { client } = scene.rig;
    const { workflowId } = scene.budget;
    const execution = { namespace: 'default', workflowExecution: { workflowId } };
    await client.workflowService.deleteWorkflowExecution(execution);
    await until(async () => (await nullIfNotFound(scene.budget.describe())) === null);
    await scene.reach({ policy, submitQueue: 'theirs' });
    await scene.startWorker();
    await until(async () => (await scene.status())?.rebuilt?.reason.includes('not remember'));
    expect((await scene.status())?.free).toBe(0);
  });

  test('a budget that was started by hand counts as full once', async (context) => {
    const scene = await Scene.halfway(context);
    await scene.rig.stopWorker();
    await scene.terminate();
    const { taskQueue, client } = scene.rig;
    const { workflowId } = scene.budget;
    const args = [scene.predictions.reference];
    await client.workflow.start('budget', { workflowId, taskQueue, args });
    await scene.startWorker();
    await scene.beginsFull();
    expect((await scene.status())?.rebuilt?.reason).toContain('by hand');
  });
});
