/**
 * Workflows that cannot continue because their tasks fail. The server retries the task forever, and no query, signal or
 * status of the workflow shows why.
 */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';

/** temporal.api.enums.v1.WorkflowTaskFailedCause */
const NON_DETERMINISTIC_ERROR = 24;
/** A task that failed once may have met a worker that was being replaced. */
const ATTEMPTS = 2;
const NEWEST_EVENTS = 10;

export type Stuck =
  /** Its history does not match its code: no worker of this version can replay it. */
  | { readonly type: 'unreplayable'; readonly message: string }
  /** Its task fails for another reason. */
  | { readonly type: 'failing'; readonly message: string }
  /** No worker polls its task. */
  | { readonly type: 'unattended'; readonly sinceMs: number };

/** A task that no worker polls for this long (ms) has no worker. */
const UNATTENDED_MS = 10_000;

/** null when it makes progress. `now`: ms since the epoch. */
export async function stuckBecause(
  client: Client,
  { raw, workflowId, runId }: WorkflowExecutionDescription,
  now: number,
): Promise<Stuck | null> {
  const task = raw.pendingWorkflowTask;
  if (!task) return null;
  if ((task.attempt ?? 1) < ATTEMPTS) {
    const scheduledAt = Number(task.scheduledTime?.seconds ?? 0) * 1_000;
    const sinceMs = now - scheduledAt;
    const taken = task.startedTime != null;
    return !taken && sinceMs > UNATTENDED_MS ? { type: 'unattended', sinceMs } : null;
  }
  // The history has only the first of several failures in a row.
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: NEWEST_EVENTS,
  });
  for (const { workflowTaskFailedEventAttributes: failed } of history?.events ?? []) {
    if (!failed) continue;
    const { loadedDataConverter } = client.options;
    const error = await decodeOptionalFailureToOptionalError(loadedDataConverter, failed.failure);
    const message = error?.message ?? 'no reason was given';
    const unreplayable = Number(failed.cause) === NON_DETERMINISTIC_ERROR;
    return { type: unreplayable ? 'unreplayable' : 'failing', message };
  }
  return null;
}
