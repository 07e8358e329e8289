/**
 * Whether an answer that seems to refuse us refuses only one row: a firewall may reject the text of one molecule and let
 * all others pass. Without this rule such a row would wait forever.
 */
import type { Waiting } from './request.ts';
import type { Budget } from './state.ts';

const LEAST_REFUSALS = 5;
/** As long as a 404 for an accepted job must repeat before it counts. */
const LEAST_MS = 15 * 60_000;

/** Called with one more such answer, which came at `now` (ms). */
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
