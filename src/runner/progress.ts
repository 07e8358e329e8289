/**
 * The progress of a campaign, which its workflow writes into its memo and returns at its end. It is not queried: a
 * worker that answers a query while another one has a task of the same workflow may produce a history that cannot be
 * replayed (SDK 1.24.0; docs/decisions.md).
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { CampaignProgress } from '../domain/campaign.ts';
import { Deadline } from '../domain/process.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { Session } from '../temporal/host/session.ts';
import { isClosedPart, isRecent, readHeartbeats } from '../temporal/namespace.ts';
import { type Stuck, findStuck } from '../temporal/stuck.ts';
import type { campaign } from '../workflows/index.ts';
import { PROGRESS_MEMO } from '../workflows/messages.ts';

/** A worker finishes a task of a campaign within milliseconds. With the rest of an answer less than 7 s (session.ts). */
const TASK_TIMEOUT_MS = 4_000;
const BETWEEN_MS = 100;

/** A worker begins a campaign that was just started within this time, in ms. */
const START_TIMEOUT_MS = 6_000;

/**
 * @param waited the caller has waited for the task that is pending
 * @throws HundredfoldError `WORKER_SILENT`: it has written nothing, because no worker has run it yet
 */
export async function readProgress(
  client: Client,
  found: WorkflowExecutionDescription,
  waited = false,
): Promise<CampaignProgress> {
  const { workflowId, runId, status } = found;
  const handle = client.workflow.getHandle<typeof campaign>(workflowId, runId);
  // What it wrote last may be a second old.
  if (status.name === 'COMPLETED') return handle.result();
  const deadline = new Deadline(START_TIMEOUT_MS - (waited ? TASK_TIMEOUT_MS : 0));
  for (let { memo } = found; ; { memo } = await handle.describe()) {
    const written = memo?.[PROGRESS_MEMO] as CampaignProgress | undefined;
    if (written !== undefined) return written;
    if (deadline.hasPassed)
      throw new HundredfoldError(
        'WORKER_SILENT',
        `no worker answers for ${workflowId.replace(':', ' ')}`,
        'Start a worker (hundredfold worker), or run the "hundredfold run" command again. `hundredfold doctor` says whether it is stuck, and what to do.',
      );
    await delay(BETWEEN_MS);
  }
}

/**
 * Waits until a workflow has taken what was sent to it before, but not longer than a worker needs for it. A message that
 * arrives during a task is taken by the next one: `tasks` is then 2.
 */
export async function waitUntilSettled(
  client: Client,
  workflowId: string,
  tasks = 1,
): Promise<WorkflowExecutionDescription> {
  const handle = client.workflow.getHandle(workflowId);
  const deadline = new Deadline(TASK_TIMEOUT_MS);
  const seen = new Set<string | null>();
  for (;;) {
    const found = await handle.describe();
    const task = findPendingTask(found);
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
  return { found: await waitUntilSettled(client, found.workflowId), waited: true };
}

/** Identifies the task of a workflow that no worker has finished yet, through all its attempts; null without one. */
function findPendingTask({ runId, raw }: WorkflowExecutionDescription): string | null {
  const { originalScheduledTime: at } = raw.pendingWorkflowTask ?? {};
  return at ? `${runId} ${String(at.seconds)} ${String(at.nanos)}` : null;
}

/** Each worker sends a heartbeat every second: without a new one for this long (ms), all of them have ended. */
const SILENT_MS = 4_000;

export class WorkerPresence {
  readonly #session: Session;
  /** Since when its task has been pending, by a clock that cannot be set. */
  #pending: { readonly task: string; readonly since: number } | null = null;
  #stuck: Stuck | null = null;
  readonly #looksOnce: boolean;
  /** The newest heartbeat, and since when it has been the newest, by the same clock. */
  #heartbeat = { at: 0, since: performance.now() };

  /** @param looksOnce there are no later looks to compare with */
  constructor(session: Session, looksOnce: boolean) {
    this.#session = session;
    this.#looksOnce = looksOnce;
  }

  /**
   * @param waited the caller has waited for the task that is pending
   * @throws HundredfoldError `CAMPAIGN_UNREPLAYABLE`
   */
  async check(found: WorkflowExecutionDescription, waited: boolean): Promise<void> {
    this.#stuck = null;
    if (!this.#isLate(found, waited)) return;
    this.#stuck = await findStuck(this.#session.client, found, Date.now());
    if (this.#stuck?.type !== 'unreplayable') return;
    throw new HundredfoldError(
      'CAMPAIGN_UNREPLAYABLE',
      `the history of ${found.workflowId.slice('campaign:'.length)} cannot be replayed by this version`,
      `Run "hundredfold cancel ${found.workflowId.slice('campaign:'.length)}", then its "hundredfold run" command again: it continues with what is on disk, and nothing is submitted twice.`,
    );
  }

  /** After `check`: a sentence with what to do; null if its tasks seem to be done. */
  async obstacle({ taskQueue }: WorkflowExecutionDescription): Promise<string | null> {
    if (this.#stuck?.type === 'failing')
      return `Its workflow tasks fail (${this.#stuck.message}). "hundredfold doctor" says what to do.`;
    // A worker is part of each host; at a Temporal of your own there may be none.
    const isAlone =
      this.#stuck?.type === 'unattended' ||
      (this.#session.role === 'remote' && (await this.#isAlone(taskQueue)));
    if (!isAlone) return null;
    return 'No worker takes its tasks. Start one (hundredfold worker), or run its "hundredfold run" command again.';
  }

  #isLate(found: WorkflowExecutionDescription, waited: boolean): boolean {
    const task = findPendingTask(found);
    const now = performance.now();
    if (task === null) this.#pending = null;
    else if (this.#pending?.task !== task) this.#pending = { task, since: now };
    return this.#pending !== null && (waited || now - this.#pending.since >= TASK_TIMEOUT_MS);
  }

  async #isAlone(taskQueue: string): Promise<boolean> {
    const workers = await readHeartbeats(this.#session.client, taskQueue);
    if (isClosedPart(workers)) return false;
    if (this.#looksOnce) return !workers.some(isRecent);
    const newest = Math.max(0, ...workers.map(({ at }) => at));
    const now = performance.now();
    if (newest !== this.#heartbeat.at) this.#heartbeat = { at: newest, since: now };
    return now - this.#heartbeat.since >= SILENT_MS;
  }
}
