/**
 * A worker that is restarted when it fails. The SDK shuts a worker down when a workflow's code returns an unexpected
 * answer; this happened in a process that was suspended for more than 5 s and received a query meanwhile (SDK 1.24.0).
 * The process itself would continue without a worker.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { warn } from '../state/warn.ts';
import { startWorker, type RunningWorker, type WorkerOptions } from '../worker.ts';

interface LastingOptions {
  /** Called each time the worker has failed or could not be restarted; default: warns on stderr. */
  readonly onDeath?: (error: unknown) => void;
  readonly start?: (options: WorkerOptions) => Promise<RunningWorker>;
  /** Between attempts to restart it (ms). */
  readonly pauseMs?: number;
}

export async function startLastingWorker(
  options: WorkerOptions,
  { onDeath = warnOfDeath, start = startWorker, pauseMs = 1_000 }: LastingOptions = {},
): Promise<Pick<RunningWorker, 'stop'>> {
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  let current = await start(options);
  const keepGoing = async (): Promise<void> => {
    while (!isStopping()) {
      try {
        await current.ended;
        return;
      } catch (error) {
        if (isStopping()) return;
        onDeath(error);
        await current.stop();
      }
      current = (await again()) ?? current;
    }
  };
  const again = async (): Promise<RunningWorker | null> => {
    while (!isStopping()) {
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (isStopping()) return null;
      try {
        return await start(options);
      } catch (error) {
        onDeath(error);
      }
    }
    return null;
  };
  const kept = keepGoing();
  return {
    async stop() {
      stopping.abort();
      await current.stop();
      await kept;
      // A worker that was still starting when the stop was requested.
      await current.stop();
    },
  };
}

function warnOfDeath(error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  warn(`the worker stopped unexpectedly and is restarted (${why.slice(0, 200)})`);
}
