/**
 * Whether a worker accepts work: it polls, Temporal can be reached, and it is not stopping.
 *
 * We ask Temporal whether it lists this worker among the pollers. Rejected: the state of the SDK's worker alone, which
 * stays `RUNNING` while Temporal is away.
 */
import type { Client } from '@temporalio/client';
import type { Worker } from '@temporalio/worker';
import { TASK_QUEUE_TYPES } from '../temporal/task-queue-types.ts';

type Followed = Pick<Worker, 'getState'> & {
  readonly options: Pick<Worker['options'], 'taskQueue' | 'workflowBundle'>;
};

export interface PolledQueue {
  readonly taskQueue: string;
  readonly type: keyof typeof TASK_QUEUE_TYPES;
}

interface ReadinessOptions {
  readonly client: Client;
  readonly identity: string;
}

/** A probe is sent every few seconds and waits for one or two. */
const PATIENCE_MS = 1_500;
/** An answer is cached for this long (ms), so that frequent probes do not load Temporal. */
const HOLDS_MS = 1_000;

export class Readiness {
  readonly #options: ReadinessOptions;
  #workers: readonly Followed[] = [];
  #draining = false;
  #asked: { readonly at: number; readonly answer: Promise<string | null> } | null = null;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** The workers of the latest start; those of an earlier start have ended. */
  follow(...workers: readonly Followed[]): void {
    this.#workers = [...workers];
    this.#asked = null;
  }

  /** From now on the worker is not ready, even while it finishes running work. */
  drain(): void {
    this.#draining = true;
  }

  /** The reason why it is not ready; null when it is. */
  async missing(): Promise<string | null> {
    if (this.#draining) return 'draining: the worker is stopping';
    const states = this.#workers.map((worker) => worker.getState());
    if (states.length === 0) return 'starting: the worker does not poll yet';
    const other = states.find((state) => state !== 'RUNNING');
    if (other !== undefined) return `the worker is ${other.toLowerCase()}`;
    if (!this.#asked || performance.now() - this.#asked.at > HOLDS_MS)
      this.#asked = { at: performance.now(), answer: this.#askTemporal() };
    return this.#asked.answer;
  }

  /** Every task queue that these workers poll, with the types of tasks. */
  queues(): readonly PolledQueue[] {
    return this.#workers.map(({ options: { taskQueue, workflowBundle } }) => ({
      taskQueue,
      type: workflowBundle ? 'workflow' : 'activity',
    }));
  }

  /** The server lists the pollers: this proves that polling has begun. */
  async #askTemporal(): Promise<string | null> {
    try {
      const polled = await this.#options.client.connection.withDeadline(
        Date.now() + PATIENCE_MS,
        () => Promise.all(this.queues().map((queue) => this.#isPolled(queue))),
      );
      return polled.every(Boolean) ? null : 'starting: Temporal has not seen the worker poll yet';
    } catch {
      return 'Temporal does not answer';
    }
  }

  async #isPolled({ taskQueue, type }: PolledQueue): Promise<boolean> {
    const { client, identity } = this.#options;
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: TASK_QUEUE_TYPES[type],
    });
    return pollers.some((poller) => poller.identity === identity);
  }
}
