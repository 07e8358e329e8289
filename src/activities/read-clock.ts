/** The clocks of a budget: the Temporal server's, and that of a machine. */
import { createHash } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { SteadyReading } from '../domain/outcomes.ts';
import type { BudgetReading } from '../workflows/budget-clock.ts';
import type { Dependencies } from './dependencies.ts';

/** When this activity was scheduled, as the server stamped it, and the run that it belongs to. */
export function readClock(): Promise<BudgetReading> {
  const { currentAttemptScheduledTimestampMs: at, workflowExecution } = Context.current().info;
  return Promise.resolve({ at, run: workflowExecution?.runId ?? '' });
}

/** Read last: the server learns of the end of the activity after it. */
export function readSteadyClock({ steadyClock }: Pick<Dependencies, 'steadyClock'>): SteadyReading {
  const { run, steadyMs } = steadyClock.now();
  return { clock: clockName(run), ended: Math.floor(steadyMs) };
}

/** Short: it is in the history of every submission. */
export function clockName(run: string): string {
  return createHash('sha256').update(run).digest('hex').slice(0, 8);
}
