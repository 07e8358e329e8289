/** The clock of a budget: the Temporal server's. */
import { Context } from '@temporalio/activity';
import type { BudgetReading } from '../workflows/budget-clock.ts';

/** When this activity was scheduled, as the server stamped it, and the run that it belongs to. */
export function readClock(): Promise<BudgetReading> {
  const { currentAttemptScheduledTimestampMs: at, workflowExecution } = Context.current().info;
  return Promise.resolve({ at, run: workflowExecution?.runId ?? '' });
}
