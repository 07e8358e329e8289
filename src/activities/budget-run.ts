/**
 * The runs of a budget: how one is started, and what one has written into its memo.
 *
 * There is one way to start a budget: with what the run before it has left (budget/status.ts), as an argument and as the
 * memo of its start. So at every moment the memo of the newest run has all that may still count (docs/promises.md).
 * Its status is read there as well: no workflow is queried, which needs no worker, and works for a budget that cannot run.
 */
import { Context } from '@temporalio/activity';
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { InternalWorkflowStartOptionsSymbol } from '@temporalio/client/lib/internal.js';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { createBudget } from '../budget/budget.ts';
import type { BudgetConfiguration } from '../budget/state.ts';
import { computeLongestMs } from '../budget/policy.ts';
import {
  createSnapshot,
  type BudgetSnapshot,
  describe,
  type BudgetStatus,
  type FormerBudget,
} from '../budget/status.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { createSystemClock } from '../ledger/steady-clock.ts';
import type { BudgetReading } from '../workflows/budget-clock.ts';
import {
  configureSignal,
  STATUS_MEMO,
  takenBackSignal,
  withdrawnSignal,
  type BudgetInput,
  type LaneName,
  type TakenBack,
} from '../workflows/messages.ts';
import {
  buildBudgetWorkflowId,
  buildCampaignWorkflowId,
  buildRunningQuery,
} from '../workflows/names.ts';
import type { Dependencies } from './dependencies.ts';
import { nullIfNotFound, wasDelivered } from './retry.ts';
import { requireService } from './item-job.ts';

/**
 * Activities.reportToCampaign. The budget does not signal it itself: for a signal from one workflow to another, the server
 * holds both, and two that signal each other at the same time wait some seconds for a time-out.
 */
export async function reportToCampaign(
  { temporal }: Pick<Dependencies, 'temporal'>,
  campaign: string,
  answer: LaneName | TakenBack,
): Promise<void> {
  const handle = temporal.workflow.getHandle(buildCampaignWorkflowId(campaign));
  await nullIfNotFound(
    'token' in answer
      ? handle.signal(takenBackSignal, answer)
      : handle.signal(withdrawnSignal, answer),
  );
}

/** Sends the configured limits to the budget workflow of a service, and starts it if it does not run. */
export async function ensureBudget(
  deps: Dependencies,
  reference: ServiceReference,
  reason = 'its workflow had ended',
): Promise<void> {
  const { budget: configuration } = requireService(deps, reference);
  await startOrFindBudget(deps.temporal, deps.taskQueue, reference, { configuration, reason });
}

/** What was read of the former run may be this old when its successor is started (ms). */
const READ_HOLDS_MS = 5_000;
const TRIES = 20;

/** @param reason why the former run has ended, for people */
export async function startOrFindBudget(
  client: Client,
  taskQueue: string,
  reference: ServiceReference,
  {
    configuration,
    reason,
  }: { readonly configuration: BudgetConfiguration; readonly reason: string },
): Promise<void> {
  const workflowId = buildBudgetWorkflowId(reference);
  const clock = createSystemClock();
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const readAt = clock.now().steadyMs;
    const last = await describeRun(client, workflowId);
    if (last?.isRunning) {
      const budget = client.workflow.getHandle(workflowId);
      if (await wasDelivered(budget.signal(configureSignal, configuration))) return;
      continue;
    }
    const former = last ? { ...last, reason } : await findForgottenRun(client, configuration);
    if (clock.now().steadyMs - readAt > READ_HOLDS_MS) continue;
    // A second start after the same former run is none: the server returns the run that the first one has started.
    const requestId = last?.run ?? `the first of ${workflowId}`;
    const options = {
      ...buildBudgetStart(reference, taskQueue, former, configuration),
      [InternalWorkflowStartOptionsSymbol]: { requestId },
    };
    // It may have been started by another, and may have ended since: what it has is read in the next turn.
    await client.workflow.start('budget', options).catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
  }
  throw new Error(`${workflowId} ends whenever it is started`);
}

/**
 * One that is not found may have ended before what Temporal remembers. On one machine the ledger has what it has sent;
 * elsewhere that is unknown where a window is longer.
 */
async function findForgottenRun(
  { workflowService, options: { namespace } }: Client,
  { policy, submitQueue }: BudgetConfiguration,
): Promise<FormerBudget | null> {
  if (submitQueue === undefined) return null;
  const { config } = await workflowService.describeNamespace({ namespace });
  const retentionMs = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1_000;
  if (computeLongestMs(policy.windows) <= retentionMs) return null;
  const days = Math.round(retentionMs / 86_400_000);
  const reason = `it is new, or has ended more than ${days} days ago, which Temporal does not remember`;
  return { run: '', reason, written: null };
}

/** The options with which the budget of a service is started. */
export function buildBudgetStart(
  { service, address, credential }: ServiceReference,
  taskQueue: string,
  former: FormerBudget | null = null,
  configuration: BudgetConfiguration | null = null,
) {
  const name = { service, address, credential };
  const first = createSnapshot(name, createBudget(), 0, null);
  const written = former ? former.written : first;
  const input: BudgetInput = {
    ...name,
    former,
    ...(configuration && { configuration }),
  };
  return {
    workflowId: buildBudgetWorkflowId(name),
    taskQueue,
    args: [input] satisfies [BudgetInput],
    // Before its first task, it has what it was started with. Without it, all would be unknown to its successor.
    ...(written && { memo: { [STATUS_MEMO]: written } }),
    // Its tasks come first: an idle slot is lost.
    priority: { priorityKey: 1 },
    // As long as a submission of a worker that died waits for another one: a decision must not wait longer.
    workflowTaskTimeout: '4s',
    staticSummary: `budget of ${service} at ${address}`,
  } as const;
}

/** The clock of a budget: when this activity was scheduled, as the server stamped it, and the run that it belongs to. */
export function readClock(): Promise<BudgetReading> {
  const { currentAttemptScheduledTimestampMs: at, workflowExecution } = Context.current().info;
  return Promise.resolve({ at, run: workflowExecution?.runId ?? '' });
}

/** What the run has left that was reset to the present one, or the last of them; null if that cannot be read. */
export async function readFormer(
  { temporal }: Pick<Dependencies, 'temporal'>,
  run: string,
): Promise<BudgetSnapshot | null> {
  const own = Context.current().info.workflowExecution;
  if (!own) throw new Error('this is an activity of a budget');
  for (let former = run; ;) {
    const found = await describeRun(temporal, own.workflowId, former);
    if (!found) return null;
    const { resetTo } = found;
    if (resetTo === '' || resetTo === own.runId) return found.written;
    former = resetTo;
  }
}

/** null when it does not run, or has not written anything yet. */
export async function readBudget(client: Client, workflowId: string): Promise<BudgetStatus | null> {
  const snapshot = await readSnapshot(client, workflowId);
  return snapshot && describe(snapshot, Date.now());
}

/** All budgets that this Temporal keeps. */
export async function readBudgets(client: Client): Promise<BudgetStatus[]> {
  const statuses: BudgetStatus[] = [];
  for await (const { workflowId } of client.workflow.list({
    query: buildRunningQuery(['budget']),
  })) {
    const status = await readBudget(client, workflowId);
    if (status) statuses.push(status);
  }
  return statuses;
}

export async function readSnapshot(
  client: Client,
  workflowId: string,
): Promise<BudgetSnapshot | null> {
  const found = await describeRun(client, workflowId);
  return found?.isRunning ? found.written : null;
}

interface DescribedRun extends Omit<FormerBudget, 'reason'> {
  readonly isRunning: boolean;
  /** The run that it was reset to; empty if it was not. */
  readonly resetTo: string;
}

/** temporal.api.enums.v1.WorkflowExecutionStatus */
const RUNNING = 1;
/** grpc/grpc: doc/statuscodes.md */
const NOT_FOUND = 5;

/**
 * A run of a budget, the current one without `runId`; null if there is none. The server answers from the run itself,
 * also when it has ended: nothing lags behind.
 */
async function describeRun(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<DescribedRun | null> {
  const { namespace } = client.options;
  try {
    const { workflowExecutionInfo: info, workflowExtendedInfo: extended } =
      await client.workflowService.describeWorkflowExecution({
        namespace,
        execution: { workflowId, ...(runId !== undefined && { runId }) },
      });
    return {
      run: info?.execution?.runId ?? '',
      isRunning: Number(info?.status) === RUNNING,
      resetTo: extended?.resetRunId ?? '',
      written: await decodeSnapshot(client, info?.memo?.fields?.[STATUS_MEMO]),
    };
  } catch (error) {
    if (isGrpcServiceError(error) && (error.code as number) === NOT_FOUND) return null;
    throw error;
  }
}

type Payload = Parameters<
  Client['options']['loadedDataConverter']['payloadConverter']['fromPayload']
>[0];

/** null if it has none, or if it is not readable here: encrypted with another key. Then its charges are unknown. */
async function decodeSnapshot(
  client: Client,
  payload: Payload | null | undefined,
): Promise<BudgetSnapshot | null> {
  if (!payload) return null;
  const [value] = await decodeArrayFromPayloads(client.options.loadedDataConverter, [
    payload,
  ]).catch(() => [null]);
  const isWritten = typeof value === 'object' && value !== null && 'policy' in value;
  return isWritten ? (value as BudgetSnapshot) : null;
}
