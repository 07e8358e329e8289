/**
 * Workflows that cannot continue because their tasks fail or time out. The server retries the task forever, and no
 * query, signal or status of the workflow shows why.
 */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';

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
