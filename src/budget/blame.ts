/**
 * Whether an answer that seems to be about us is about one row after all: a firewall may dislike the text of one molecule
 * and let all others pass. Without this rule such a row would wait for ever.
 */
import type { Waiting } from './request.ts';
import type { BudgetState } from './state.ts';

const LEAST_REFUSALS = 5;
/** As long as a 404 for an accepted job has to repeat before it is believed. */
const LEAST_MS = 15 * 60_000;

/** Called with one more such answer, which came at `now` (ms). */
export function isOwnFault(
  { counts }: Pick<BudgetState, 'counts'>,
  { turnedAway }: Pick<Waiting, 'turnedAway'>,
  now: number,
): boolean {
  const refusals = turnedAway.filter(({ reason }) => reason === 'blocked');
  const [first] = refusals;
  if (first === undefined || refusals.length + 1 < LEAST_REFUSALS) return false;
  const othersPassed = counts.accepted > (first.accepted ?? counts.accepted);
  return othersPassed && now - first.at >= LEAST_MS;
}
