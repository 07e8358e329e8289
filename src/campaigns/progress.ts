/**
 * The progress of a campaign, which its workflow writes into its memo and returns at its end. It is not queried: a
 * worker that answers a query while another one has a task of the same workflow may produce a history that cannot be
 * replayed (SDK 1.24.0; docs/reliability.md).
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { CampaignProgress } from '../domain/campaign.ts';
import { Deadline } from '../domain/deadline.ts';
import { codedError } from '../domain/errors.ts';
import { PROGRESS_MEMO } from '../workflows/messages.ts';
import type { campaign } from '../workflows/index.ts';

/** A worker finishes a task of a campaign within milliseconds. With the rest of an answer less than 7 s (in-session.ts). */
export const TASK_PATIENCE_MS = 4_000;
const BETWEEN_MS = 100;

/** A worker begins a campaign that was just started within this time, in ms. */
const BEGUN_WITHIN_MS = 6_000;

/** @throws HundredfoldError `WORKER_SILENT`: it has written nothing, because no worker has run it yet */
export async function readProgress(
  client: Client,
  found: WorkflowExecutionDescription,
): Promise<CampaignProgress> {
  const { workflowId, runId, status } = found;
  const handle = client.workflow.getHandle<typeof campaign>(workflowId, runId);
  // What it wrote last may be a second old.
  if (status.name === 'COMPLETED') return handle.result();
  const deadline = new Deadline(BEGUN_WITHIN_MS);
  for (let { memo } = found; ; { memo } = await handle.describe()) {
    const written = memo?.[PROGRESS_MEMO] as CampaignProgress | undefined;
    if (written !== undefined) return written;
    if (deadline.hasPassed)
      throw codedError('WORKER_SILENT', { workflow: workflowId.replace(':', ' ') });
    await delay(BETWEEN_MS);
  }
}

/**
 * Waits until a workflow has taken what was sent to it before, but not longer than a worker needs for it. A message that
 * arrives during a task is taken by the next one: `tasks` is then 2.
 */
export async function settled(
  client: Client,
  workflowId: string,
  tasks = 1,
): Promise<WorkflowExecutionDescription> {
  const handle = client.workflow.getHandle(workflowId);
  const deadline = new Deadline(TASK_PATIENCE_MS);
  const seen = new Set<string | null>();
  for (;;) {
    const found = await handle.describe();
    const task = pendingTask(found);
    if (task === null || seen.add(task).size > tasks || deadline.hasPassed) return found;
    await delay(BETWEEN_MS);
  }
}

/** A worker with more tasks than it can do at once finishes a task of a campaign within this time, in ms. */
const OVERDUE_MS = 2_500;

/**
 * Waits for the pending task of a campaign if it is overdue or was repeated, because it may never end, or if the
 * campaign has not written its progress yet. Otherwise it returns `found` at once: a busy worker nearly always has a
 * recent task.
 */
export async function waitIfOverdue(
  client: Client,
  found: WorkflowExecutionDescription,
): Promise<{ readonly found: WorkflowExecutionDescription; readonly waited: boolean }> {
  const task = found.raw.pendingWorkflowTask;
  const sinceMs = Date.now() - 1_000 * Number(task?.originalScheduledTime?.seconds ?? 0);
  const isRecent = !task || (sinceMs < OVERDUE_MS && (task.attempt ?? 1) === 1);
  if (isRecent && found.memo?.[PROGRESS_MEMO] !== undefined) return { found, waited: false };
  return { found: await settled(client, found.workflowId), waited: true };
}

/** Identifies the task of a workflow that no worker has finished yet, through all its attempts; null without one. */
export function pendingTask({ runId, raw }: WorkflowExecutionDescription): string | null {
  const { originalScheduledTime: at } = raw.pendingWorkflowTask ?? {};
  return at ? `${runId} ${String(at.seconds)} ${String(at.nanos)}` : null;
}
