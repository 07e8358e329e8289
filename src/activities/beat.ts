/** Shows the server that the worker of an activity lives, so that its death is noticed within seconds. */
import { Context } from '@temporalio/activity';

const EVERY_MS = 1_000;

/**
 * An activity that beats while it works. Without it, what a killed worker had under way would be tried again only
 * when its whole time is over: an item stood still for 60 s in a poll, for 10 min in a download.
 */
export function beating<A extends unknown[], R>(
  activity: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    const context = Context.current();
    const beat = setInterval(() => context.heartbeat(), EVERY_MS);
    try {
      return await activity(...args);
    } finally {
      clearInterval(beat);
    }
  };
}
