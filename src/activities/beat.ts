/** Shows the server that the worker of an activity lives, so that its death is noticed within seconds. */
import { Context } from '@temporalio/activity';

const EVERY_MS = 1_000;

/**
 * An activity that beats while it works. Without it, what a killed worker had under way would be tried again only
 * when its whole time is over: an item stood still for 60 s in a poll, for 10 min in a download.
 *
 * With `details` it begins to beat at once: should no other worker take it up, its workflow knows that it had begun.
 */
export function beating<A extends unknown[], R>(
  activity: (...args: A) => Promise<R>,
  details?: string,
): (...args: A) => Promise<R> {
  return async (...args) => {
    const context = Context.current();
    // A beat takes the place of the one before it, and would take away what that one carried.
    const beatNow = (): void => context.heartbeat(details ?? context.info.heartbeatDetails);
    if (details !== undefined) beatNow();
    return beatingWith(beatNow, () => activity(...args));
  };
}

export async function beatingWith<R>(beatNow: () => void, work: () => Promise<R>): Promise<R> {
  const beat = setInterval(beatNow, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}
