/**
 * A worker that is restarted when it fails. The SDK shuts a worker down when a workflow's code returns an unexpected
 * answer; this happened in a process that was suspended for more than 5 s and received a query meanwhile (SDK 1.24.0).
 * The process itself would continue without a worker.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { warn } from '../../program.ts';
import { startWorker, type RunningWorker } from '../../worker.ts';
import type { WorkerOptions } from '../worker/dependencies.ts';

export type StoppableWorker = Pick<RunningWorker, 'stop'>;

/** Between attempts to restart it. */
const PAUSE_MS = 1_000;

/** @param onDeath called each time the worker has failed or could not be restarted */
export function startLastingWorker(
  options: WorkerOptions,
  onDeath: (error: unknown) => void = warnOfDeath,
): Promise<StoppableWorker> {
  return keepRunning(() => startWorker(options), { onDeath, pauseMs: PAUSE_MS });
}

interface Keeping {
  readonly onDeath: (error: unknown) => void;
  readonly pauseMs: number;
}

export async function keepRunning(
  start: () => Promise<RunningWorker>,
  { onDeath, pauseMs }: Keeping,
): Promise<StoppableWorker> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const isStopping = (): boolean => signal.aborted;
  let current: RunningWorker | null = await start();
  const keepGoing = async (): Promise<void> => {
    while (!isStopping()) {
      try {
        current ??= await start();
        // It may have been stopped while it started: `stop` waits for that.
        if (!isStopping()) await current.ended;
        return;
      } catch (error) {
        if (isStopping()) return;
        onDeath(error);
        await current?.stop();
        current = null;
        await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  };
  const kept = keepGoing();
  return {
    async stop() {
      stopping.abort();
      await current?.stop();
      await kept;
      await current?.stop();
    },
  };
}

function warnOfDeath(error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  warn(`the worker stopped unexpectedly and is restarted (${why.slice(0, 200)})`);
}
