/** Sends heartbeats while an activity runs, so that the death of its worker is noticed within seconds. */
import { Context } from '@temporalio/activity';

const EVERY_MS = 1_000;

/**
 * An activity with heartbeats. Without them, the work of a killed worker is retried only after its whole timeout: an
 * item stopped for 60 s in a poll, for 10 min in a download.
 *
 * With `details`, the first heartbeat is sent at once: if no other worker retries it, its workflow knows that it had
 * begun.
 */
export function beating<A extends unknown[], R>(
  activity: (...args: A) => Promise<R>,
  details?: string,
): (...args: A) => Promise<R> {
  return async (...args) => {
    const context = Context.current();
    // A heartbeat replaces the previous one, and its details.
    const beatNow = (): void => context.heartbeat(details ?? context.info.heartbeatDetails);
    if (details !== undefined) beatNow();
    return beatingWith(beatNow, () => activity(...args));
  };
}

export async function beatingWith<R>(
  beatNow: () => void,
  work: () => Promise<R>,
  everyMs = EVERY_MS,
): Promise<R> {
  const beat = setInterval(beatNow, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}
