/**
 * Checks the budgets that a worker serves, and repairs those that would otherwise stop without an error. Every worker
 * does this; if two do the same, it takes effect once.
 */
import {
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { nullIfNotFound, wasDelivered } from '../activities/retry.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { findStatus, hasStatus } from './grpc-status.ts';
import { findStuck } from './stuck.ts';
import { buildBudgetWorkflowId, buildRunningQuery } from '../workflows/names.ts';
import { Periodic } from '../domain/process.ts';
import { recheckSignal } from '../workflows/messages.ts';

/** Three checks take well under a minute, the promise of docs/reliability.md. */
const CHECK_INTERVAL_MS = 10_000;

/** At the first check, a budget that began this recently (ms) may have replaced one that had ended. */
const NEW_FOR_MS = 60_000;
const ENDED = 'its workflow had ended';

interface WatchdogOptions {
  readonly client: Client;
  readonly budgets: readonly ServiceReference[];
  /** Starts the budget with what its former run has left, and why that has ended. */
  readonly startBudget: (reference: ServiceReference, reason: string) => Promise<void>;
  /** Called with each repair, one sentence each. */
  readonly say: (words: string) => void;
  readonly intervalMs?: number;
}

export class Watchdog {
  readonly #options: WatchdogOptions;
  /** The first runs of the budgets, by workflow id. */
  readonly #known = new Map<string, string>();
  readonly #checks: Periodic;

  constructor(options: WatchdogOptions) {
    const { intervalMs = CHECK_INTERVAL_MS, say } = options;
    this.#options = options;
    this.#checks = new Periodic({
      everyMs: intervalMs,
      work: (signal) => this.#checkAll(signal),
      onError: (error) => {
        say(`checking the budgets failed: ${String(error)}`);
      },
    });
  }

  start(): void {
    this.#checks.start();
  }

  stop(): Promise<void> {
    return this.#checks.stop();
  }

  async #checkAll(signal: AbortSignal): Promise<void> {
    for (const reference of this.#options.budgets) {
      if (signal.aborted) return;
      await this.#check(reference).catch(ignorePassing);
    }
  }

  async #check(reference: ServiceReference): Promise<void> {
    const { client, startBudget } = this.#options;
    const workflowId = buildBudgetWorkflowId(reference);
    const found = await nullIfNotFound(client.workflow.getHandle(workflowId).describe());
    const isRunning = found?.status.name === 'RUNNING';
    const broken = isRunning ? await this.#reasonToReplace(found) : ENDED;
    if (broken !== null) {
      // Only this run: another watchdog may have replaced it.
      if (isRunning)
        await wasDelivered(client.workflow.getHandle(workflowId, found.runId).terminate(broken));
      await startBudget(reference, broken);
    }
    await this.#requestAfterRestart(reference, broken ?? ENDED);
  }

  /** Also if it was restarted by another worker, or by a campaign that had found none. */
  async #requestAfterRestart(reference: ServiceReference, because: string): Promise<void> {
    const { client, say } = this.#options;
    const { service, address } = reference;
    const workflowId = buildBudgetWorkflowId(reference);
    const { raw, runId, startTime } = await client.workflow.getHandle(workflowId).describe();
    // The same for all that it has continued as.
    const first = raw.workflowExecutionInfo?.firstRunId || runId;
    const known = this.#known.get(workflowId);
    if (first === known) return;
    if (known !== undefined || Date.now() - startTime.getTime() < NEW_FOR_MS) {
      await requestAgain(client);
      if (known !== undefined)
        say(`the budget of ${service} at ${address} was restarted: ${because}; rows request again`);
    }
    this.#known.set(workflowId, first);
  }

  async #reasonToReplace(budget: WorkflowExecutionDescription): Promise<string | null> {
    const stuck = await findStuck(this.#options.client, budget, Date.now());
    return stuck?.type === 'unreplayable'
      ? `its history cannot be replayed (${stuck.message})`
      : null;
  }
}

/** About the time-out that it saves (ms): a worker waits for it before it begins. */
const FORGET_WITHIN_MS = 5_000;

/**
 * The server gives tasks of a workflow to the worker that has it in memory. One that has died costs each campaign and each
 * budget some seconds of a time-out; a living one reads the history once more.
 */
export async function forgetDeadWorker(client: Client, taskQueue: string): Promise<void> {
  const { namespace } = client.options;
  const query = buildRunningQuery(['budget', 'campaign'], { taskQueue });
  await client.withDeadline(Date.now() + FORGET_WITHIN_MS, async () => {
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      const execution = { workflowId, runId };
      await client.workflowService
        .resetStickyTaskQueue({ namespace, execution })
        .catch(ignoreEnded);
    }
  });
}

/** The list lags behind. */
function ignoreEnded(error: unknown): void {
  if (!hasStatus(error, 'notFound')) throw error;
}

/** The server is unavailable or busy: the next check comes soon. */
function ignorePassing(error: unknown): void {
  if (error instanceof WorkflowNotFoundError || findStatus(error) !== null) return;
  throw error;
}

/**
 * After a budget was restarted, campaigns request slots again: its queue was lost, and it ignores repeated requests. The
 * list only finds who gets a signal: a request that is newer than it was sent to the new budget.
 */
export async function requestAgain(client: Client): Promise<void> {
  const campaigns = client.workflow.list({ query: buildRunningQuery(['campaign']) });
  for await (const { workflowId } of campaigns)
    await nullIfNotFound(client.workflow.getHandle(workflowId).signal(recheckSignal));
}
