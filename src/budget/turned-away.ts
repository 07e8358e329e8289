/**
 * What submissions that were turned away say about their rows. An answer may refuse only one row: a firewall rejects the
 * text of one molecule and lets all others pass. Without this rule such a row would wait forever.
 *
 * And a web page with 200 in place of a job's id: if there are several in a row, a proxy has answered them and the service
 * has seen none, so they are sent again later. A single one among others that succeeded may have been accepted, with a
 * damaged answer: sent again, it could be a second job.
 */
import type { Waiting } from './request.ts';
import type { Budget } from './state.ts';

/** This many in one refusal are not a coincidence. */
const UNIFORM = 3;

/** Counts one more. `first`: the service worked before. */
export function notePage(state: Budget, first: boolean): void {
  state.pages = first ? 1 : state.pages + 1;
}

/** Whether the service may have this job, although it was answered with a page. */
export function isInDoubt({ pages }: Budget, { turnedAway }: Waiting): boolean {
  return turnedAway.at(-1)?.doubt === true && pages < UNIFORM;
}

const LEAST_REFUSALS = 5;
/** As long as a 404 for an accepted job must repeat before it counts. */
const LEAST_MS = 15 * 60_000;

/** Whether a refusal is about this row alone. Called with one more such answer, which came at `now` (ms). */
export function isOwnFault(
  { counts }: Pick<Budget, 'counts'>,
  { turnedAway }: Pick<Waiting, 'turnedAway'>,
  now: number,
): boolean {
  const refusals = turnedAway.filter(({ reason }) => reason === 'blocked');
  const [first] = refusals;
  if (first === undefined || refusals.length + 1 < LEAST_REFUSALS) return false;
  const othersPassed = counts.accepted > (first.accepted ?? counts.accepted);
  return othersPassed && now - first.at >= LEAST_MS;
}
