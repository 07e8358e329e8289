/** Whether workers take and finish the tasks of a campaign. The server retries a failing task forever, without an error. */
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { codedError } from '../domain/errors.ts';
import type { Session } from '../host/session.ts';
import { TASK_QUEUE_TYPES } from '../temporal/task-queue-types.ts';
import { stuckBecause, type Stuck } from '../watchdog/stuck.ts';
import { pendingTask, TASK_PATIENCE_MS } from './progress.ts';

/** Workers take a task within milliseconds, unless there are more tasks than they can do. */
const NOT_TAKEN_S = 10;

export class Attendance {
  readonly #session: Session;
  /** Since when its task has been pending, by a clock that cannot be set. */
  #pending: { readonly task: string; readonly since: number } | null = null;
  #stuck: Stuck | null = null;

  constructor(session: Session) {
    this.#session = session;
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

  /** The server lists pollers for minutes after they have ended: tasks that stay in the queue show it sooner. */
  async #isAlone(taskQueue: string): Promise<boolean> {
    const queues = await Promise.all([
      this.#queue(taskQueue, 'workflow'),
      this.#queue(taskQueue, 'activity'),
    ]);
    return queues.every(({ polled }) => !polled) || queues.some(({ waits }) => waits);
  }

  async #queue(name: string, type: keyof typeof TASK_QUEUE_TYPES) {
    const { client } = this.#session;
    const { pollers, stats } = await client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name },
      taskQueueType: TASK_QUEUE_TYPES[type],
      reportStats: true,
    });
    const age = Number(stats?.approximateBacklogAge?.seconds ?? 0);
    // Overloaded workers leave tasks there as well, but take others.
    const waits = age >= NOT_TAKEN_S && (stats?.tasksDispatchRate ?? 0) < 0.01;
    return { polled: pollers.length > 0, waits };
  }
}
