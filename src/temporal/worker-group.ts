/** Workers of one process that poll different task queues, and start and stop as one. */
import type { Worker } from '@temporalio/worker';

export interface WorkerGroup {
  /** Rejects when one of them dies by itself. */
  readonly ended: Promise<void>;
  /** Lets what runs come to an end, and takes up nothing new. May be called again. */
  stop(): Promise<void>;
}

export function runTogether(workers: readonly Worker[]): WorkerGroup {
  const runs = workers.map((worker) => worker.run());
  const ended = Promise.all(runs).then(() => undefined);
  ended.catch(() => undefined);
  return {
    ended,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      // Why one died by itself, if it did, is told by `ended`.
      await Promise.allSettled(runs);
    },
  };
}
