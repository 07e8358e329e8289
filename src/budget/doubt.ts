/**
 * Submissions that were answered with a web page and 200, where a job's id belongs. When several are in a row, a proxy
 * answers all of them and the service has seen none: they are sent again when it is over. A single one among others that
 * went well may have been accepted and its answer spoilt: sent again, it could be a second job.
 */
import type { Waiting } from './request.ts';
import type { BudgetState } from './state.ts';

/** So many in one refusal are no accident. */
const UNIFORM = 3;

/** Takes in one more of them. `first`: the service was well before. */
export function notePage(state: BudgetState, first: boolean): void {
  state.pages = first ? 1 : (state.pages ?? 0) + 1;
}

/** Whether the service may have this job, although it was answered with a page. */
export function isInDoubt({ pages = 0 }: BudgetState, { turnedAway }: Waiting): boolean {
  return turnedAway.at(-1)?.doubt === true && pages < UNIFORM;
}
