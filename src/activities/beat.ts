/** Shows the server that the worker of an activity lives, so that its death is noticed within seconds. */
import { Context } from '@temporalio/activity';

const EVERY_MS = 1_000;

/** What an attempt leaves for the next one: the server keeps it with the heartbeat, across our crashes. */
export interface Carried {
  /** Since when what comes is bad each time (ms), and how often that was. */
  readonly badSince: number;
  readonly times: number;
}

export function carried(context: Context): Carried | null {
  return (context.info.heartbeatDetails as Carried | null | undefined) ?? null;
}

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
    const beatNow = (): void => context.heartbeat(details ?? context.info.heartbeatDetails);
    if (details !== undefined) beatNow();
    // A beat takes the place of the one before it, and would take away what that one carried.
    const beat = setInterval(beatNow, EVERY_MS);
    try {
      return await activity(...args);
    } finally {
      clearInterval(beat);
    }
  };
}
