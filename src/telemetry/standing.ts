/**
 * The current state at Temporal, as gauges: budgets from the records of their workflows, open items and the backlog of
 * the task queues from the server. Queried when the metrics are read, and at most every 10 s: some ten calls each time.
 */
import type { Client } from '@temporalio/client';
import type { MetricMeter } from '@temporalio/common';
import { readBudget } from '../activities/budget-status.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { OPEN_STATES } from '../domain/states.ts';
import { budgetWorkflowId } from '../workflows/names.ts';
import { TASK_QUEUE_TYPES } from '../temporal/task-queue-types.ts';
import { BudgetGauges, ServerGauges } from './gauges.ts';
import type { PolledQueue } from './readiness.ts';
import { runningWorkflows } from '../workflows/running-workflows.ts';

interface StandingOptions {
  readonly client: Client;
  readonly taskQueue: string;
  /** The budgets to show: of the services and credentials of this worker. */
  readonly references: readonly ServiceReference[];
  /** The queues that this process polls; none before its worker starts. */
  readonly queues: () => readonly PolledQueue[];
}

/** Minimum time between two queries (ms), however often the metrics are read. */
const LOOK_EVERY_MS = 10_000;
/** A query that takes longer (ms) is no longer awaited; the previous numbers are shown. */
const PATIENCE_MS = 4_000;
const HELD_FOR_MS = 24 * 3_600_000;

export class StandingGauges {
  readonly #options: StandingOptions;
  readonly #budgets: BudgetGauges;
  readonly #server: ServerGauges;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(options: StandingOptions, meter: MetricMeter) {
    this.#options = options;
    this.#budgets = new BudgetGauges(meter);
    this.#server = new ServerGauges(meter);
  }

  /** Never rejects: if Temporal does not answer, `hundredfold_temporal_reachable` is 0. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = performance.now();
      this.#looking ??= this.#look().finally(() => (this.#looking = null));
    }
    if (this.#looking) await Promise.race([this.#looking, patience()]);
  }

  async #look(): Promise<void> {
    try {
      const deadline = Date.now() + PATIENCE_MS;
      await this.#options.client.connection.withDeadline(deadline, async () => {
        await this.#lookAtBudgets();
        await this.#lookAtItems();
        await this.#lookAtQueues();
      });
      this.#server.reachable.set(1);
    } catch {
      // Old numbers would hide the problem.
      this.#budgets.forget();
      this.#server.forget();
      this.#server.reachable.set(0);
    }
  }

  async #lookAtBudgets(): Promise<void> {
    const { client, references } = this.#options;
    const statuses = await Promise.all(
      references.map((reference) => readBudget(client, budgetWorkflowId(reference))),
    );
    this.#budgets.show(references, statuses);
  }

  async #lookAtItems(): Promise<void> {
    const { taskQueue } = this.#options;
    const since = new Date(Date.now() - HELD_FOR_MS).toISOString();
    const held = `TaskQueue="${taskQueue}" AND WorkflowType="item" AND State="held" AND CloseTime > "${since}"`;
    const counts = await Promise.all([
      this.#count(runningWorkflows(['campaign'], { taskQueue })),
      this.#count(held),
      ...OPEN_STATES.map((state) => this.#count(runningWorkflows(['item'], { taskQueue, state }))),
    ]);
    const [openCampaigns, heldItems, ...byState] = counts;
    this.#server.campaigns.set(openCampaigns);
    this.#server.held.set(heldItems);
    for (const [i, state] of OPEN_STATES.entries())
      this.#server.items.set(byState[i] ?? 0, { state });
  }

  async #count(query: string): Promise<number> {
    const { count } = await this.#options.client.workflow.count(query);
    return count;
  }

  /** The workflow queue has an activity queue of the same name. */
  async #lookAtQueues(): Promise<void> {
    const polled = this.#options
      .queues()
      .flatMap(({ taskQueue, type }) => [
        { taskQueue, type },
        ...(type === 'workflow' ? [{ taskQueue, type: 'activity' } as const] : []),
      ]);
    await Promise.all(polled.map((queue) => this.#lookAtQueue(queue)));
  }

  async #lookAtQueue({ taskQueue, type }: PolledQueue): Promise<void> {
    const { client } = this.#options;
    const { pollers, stats } = await client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: TASK_QUEUE_TYPES[type],
      reportStats: true,
    });
    const labels = { task_queue: taskQueue, type };
    this.#server.pollers.set(pollers.length, labels);
    // Servers before 1.27 do not report it.
    if (!stats) return;
    this.#server.backlog.set(Number(stats.approximateBacklogCount ?? 0), labels);
    const { seconds, nanos } = stats.approximateBacklogAge ?? {};
    this.#server.backlogAge.set(Number(seconds ?? 0) + (nanos ?? 0) / 1e9, labels);
  }
}

async function patience(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
}
