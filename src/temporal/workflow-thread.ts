/**
 * The thread that runs workflow code. The SDK gives each call into it a time limit, for which Node starts and ends a
 * separate thread: 0.1 ms of CPU per call, about 17 calls per item (docs/benchmarks.md, "What an item costs"). Here the
 * calls have no limit of their own. Instead the main thread detects a call that does not return, and then terminates
 * the workflow thread; its worker fails, and the owner restarts it.
 *
 * This relies on two non-public members of the SDK. A test with an infinite loop in workflow code covers both.
 */
import type { Worker as Thread } from 'node:worker_threads';
import { Worker } from '@temporalio/worker';

type CreateArguments = Parameters<(typeof Worker)['createWorkflowCreator']>;
type WorkflowCreator = Awaited<ReturnType<(typeof Worker)['createWorkflowCreator']>>;
type Workflow = Awaited<ReturnType<WorkflowCreator['createWorkflow']>>;
type Activation = Parameters<Workflow['activate']>[0];
type Completion = ReturnType<Workflow['activate']>;

/**
 * A call that is still running at this many checks in a row has exceeded its time. Checks are counted instead of time,
 * because there are none while the process is suspended.
 */
const LOOKS = 10;

/** Protected in the SDK (1.24.0). */
interface Threaded {
  readonly workerThreadClients: readonly { readonly workerThread: Thread }[];
}

/** A worker of the SDK whose `isolateExecutionTimeout` is enforced from outside the workflow thread. */
export class WatchedWorker extends Worker {
  protected static override async createWorkflowCreator(
    ...[bundle, options, logger]: CreateArguments
  ): Promise<WorkflowCreator> {
    const { isolateExecutionTimeoutMs: limitMs } = options;
    // Without a limit Node starts no thread; the SDK's type only allows a number.
    const unlimited = { isolateExecutionTimeoutMs: undefined as unknown as number };
    const creator = await super.createWorkflowCreator(bundle, { ...options, ...unlimited }, logger);
    return new WatchedCreator(creator, limitMs, () => {
      logger.error(
        `workflow code has not returned within ${String(limitMs)} ms: its thread is ended`,
      );
    });
  }
}

class WatchedCreator implements WorkflowCreator {
  readonly #creator: WorkflowCreator;
  /** Activations that have not returned, and the number of checks that found them running. */
  readonly #running = new Map<WatchedWorkflow, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(creator: WorkflowCreator, limitMs: number, onEnded: () => void) {
    this.#creator = creator;
    this.#timer = setInterval(() => {
      if (!this.#isStuck()) return;
      clearInterval(this.#timer);
      onEnded();
      this.#endThreads();
    }, limitMs / LOOKS);
    this.#timer.unref();
  }

  async createWorkflow(...options: Parameters<WorkflowCreator['createWorkflow']>) {
    return new WatchedWorkflow(await this.#creator.createWorkflow(...options), this.#running);
  }

  async destroy(): Promise<void> {
    clearInterval(this.#timer);
    await this.#creator.destroy();
  }

  #isStuck(): boolean {
    for (const [workflow, looks] of this.#running) this.#running.set(workflow, looks + 1);
    return [...this.#running.values()].some((looks) => looks > LOOKS);
  }

  /** All calls that wait for a thread then fail, and the worker with them. */
  #endThreads(): void {
    const { workerThreadClients } = this.#creator as unknown as Threaded;
    for (const { workerThread } of workerThreadClients) void workerThread.terminate();
  }
}

class WatchedWorkflow implements Workflow {
  readonly #workflow: Workflow;
  readonly #running: Map<WatchedWorkflow, number>;

  constructor(workflow: Workflow, running: Map<WatchedWorkflow, number>) {
    this.#workflow = workflow;
    this.#running = running;
  }

  async activate(activation: Activation): Completion {
    this.#running.set(this, 0);
    try {
      return await this.#workflow.activate(activation);
    } finally {
      this.#running.delete(this);
    }
  }

  getAndResetSinkCalls(): ReturnType<Workflow['getAndResetSinkCalls']> {
    return this.#workflow.getAndResetSinkCalls();
  }

  dispose(): Promise<void> {
    return this.#workflow.dispose();
  }
}
