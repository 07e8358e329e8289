/**
 * Submissions whose answer was a web page with 200 instead of a job's id. If there are several in a row, a proxy has
 * answered them and the service has seen none: they are sent again later. A single one among others that succeeded may
 * have been accepted, with a damaged answer: sent again, it could be a second job.
 */
import type { Waiting } from './request.ts';
import type { Budget } from './state.ts';

/** This many in one refusal are not a coincidence. */
const UNIFORM = 3;

/** Counts one more. `first`: the service worked before. */
export function notePage(state: Budget, first: boolean): void {
  state.pages = first ? 1 : (state.pages ?? 0) + 1;
}

/** Whether the service may have this job, although it was answered with a page. */
export function isInDoubt({ pages = 0 }: Budget, { turnedAway }: Waiting): boolean {
  return turnedAway.at(-1)?.doubt === true && pages < UNIFORM;
}
