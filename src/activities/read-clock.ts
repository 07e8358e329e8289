/** The server's clock, for the budget: when this activity was scheduled, as the server stamped it. */
import { Context } from '@temporalio/activity';

export function readClock(): Promise<number> {
  return Promise.resolve(Context.current().info.currentAttemptScheduledTimestampMs);
}
