/** Whether workers take and finish the tasks of a campaign. The server retries a failing task forever, without an error. */
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { codedError } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import { isClosedPart } from '../temporal/namespace.ts';
import { isRecent, readHeartbeats } from '../temporal/heartbeats.ts';
import { stuckBecause, type Stuck } from '../watchdog/stuck.ts';
import { pendingTask, TASK_PATIENCE_MS } from './progress.ts';

/** Each worker sends a heartbeat every second: without a new one for this long (ms), all of them have ended. */
const SILENT_MS = 4_000;

export class Attendance {
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
    this.#stuck = await stuckBecause(this.#session.client, found, Date.now());
    if (this.#stuck?.type !== 'unreplayable') return;
    throw codedError('CAMPAIGN_UNREPLAYABLE', {
      name: found.workflowId.slice('campaign:'.length),
    });
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
    const task = pendingTask(found);
    const now = performance.now();
    if (task === null) this.#pending = null;
    else if (this.#pending?.task !== task) this.#pending = { task, since: now };
    return this.#pending !== null && (waited || now - this.#pending.since >= TASK_PATIENCE_MS);
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
