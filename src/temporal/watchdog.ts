/**
 * Checks the budgets that a worker serves, and repairs those that would otherwise stop without an error. Every worker
 * does this; if two do the same, it takes effect once. And finds workflows that cannot continue because their tasks fail or
 * time out: the server retries the task forever, and no query, signal or status of the workflow shows why.
 */
import {
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { nullIfNotFound, wasDelivered } from '../activities/retry.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { findStatus } from './grpc-status.ts';
import { buildBudgetWorkflowId, buildRunningQuery } from '../workflows/names.ts';
import { Periodic } from '../domain/process.ts';
import { recheckSignal } from '../workflows/messages.ts';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';

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

  async stop(): Promise<void> {
    await this.#checks.stop();
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

/** temporal.api.enums.v1.WorkflowTaskFailedCause */
const NON_DETERMINISTIC_ERROR = 24;
/** A task that failed once may have failed on a worker that was being replaced. */
const ATTEMPTS = 2;
const NEWEST_EVENTS = 10;

export type Stuck =
  /** Its history does not match its code: workers of this version cannot replay it. */
  | { readonly type: 'unreplayable'; readonly message: string }
  /** Its task fails for another reason, or workers take it and never answer. */
  | { readonly type: 'failing'; readonly message: string }
  /** No worker polls its task. */
  | { readonly type: 'unattended'; readonly sinceMs: number };

/** A task that no worker polls for this long (ms) has no worker. */
const UNATTENDED_MS = 10_000;

/** null if it makes progress. `now`: ms since the epoch. */
export async function findStuck(
  client: Client,
  description: WorkflowExecutionDescription,
  now: number,
): Promise<Stuck | null> {
  const task = description.raw.pendingWorkflowTask;
  if (!task) return null;
  const attempt = task.attempt ?? 1;
  if (attempt >= ATTEMPTS) {
    const failure = await findNewestFailure(client, description);
    if (failure !== 'timed out') return failure;
  }
  if (task.startedTime == null) {
    const sinceMs = now - Number(task.scheduledTime?.seconds ?? 0) * 1_000;
    if (sinceMs > UNATTENDED_MS) return { type: 'unattended', sinceMs };
  }
  // One worker may have died with the task, and the next one may complete it.
  if (attempt <= ATTEMPTS) return null;
  return { type: 'failing', message: `timed out ${attempt - 1} times in a row` };
}

/** Of a task that did not complete at its first attempt. Of failures in a row, the history has only the first. */
async function findNewestFailure(
  client: Client,
  { workflowId, runId }: WorkflowExecutionDescription,
): Promise<Stuck | 'timed out' | null> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: NEWEST_EVENTS,
  });
  for (const event of history?.events ?? []) {
    if (event.workflowTaskTimedOutEventAttributes) return 'timed out';
    const failed = event.workflowTaskFailedEventAttributes;
    if (!failed) continue;
    const { loadedDataConverter } = client.options;
    const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, failed.failure);
    const message = error?.message ?? 'no reason was given';
    const unreplayable = Number(failed.cause) === NON_DETERMINISTIC_ERROR;
    return { type: unreplayable ? 'unreplayable' : 'failing', message };
  }
  return null;
}
