/**
 * The bound on jobs that a service has accepted and not finished (`services.X.maxOpen`): a shared service is kept
 * busy, but not overloaded. The number is counted regularly among all running items, so that it cannot drift; in
 * between, newly accepted jobs are added.
 *
 * Rejected: a signal for the end of each job. It costs a signal an item, and drifts when a worker dies before it
 * sends one.
 */
import type { Budget } from './state.ts';

/** An accepted job is seen by a count this much later (ms): the index of running workflows lags behind. */
const SEEN_AFTER_MS = 3_000;
/** Not counted more often than this (ms). */
const COUNT_EVERY_MS = 1_000;
/** Where there is no room, it is counted again after this long (ms); budgets wake a little earlier (ahead.ts). */
const AGAIN_MS = 5_000;

/** `max`: null for no bound. */
export function boundUnfinished(state: Budget, max: number | null): void {
  if (max === null) delete state.unfinished;
  else if (state.unfinished) state.unfinished.max = max;
  else state.unfinished = { max, count: 0, countedAt: 0, accepted: [] };
}

export function noteAccepted({ unfinished }: Budget, now: number): void {
  unfinished?.accepted.push(now);
}

export function noteCount({ unfinished }: Budget, count: number, now: number): void {
  if (!unfinished) return;
  unfinished.count = count;
  unfinished.countedAt = now;
  unfinished.accepted = unfinished.accepted.filter((at) => at > now - SEEN_AFTER_MS);
}

/** How many jobs more the service may be given, those on their way counted. */
function roomFor({ unfinished, outstanding }: Budget): number {
  if (!unfinished) return Number.POSITIVE_INFINITY;
  const { max, count, accepted } = unfinished;
  return max - count - accepted.length - Object.keys(outstanding).length;
}

/** Whether requests wait for room, and counting may find some. */
export function needsCount(state: Budget, now: number): boolean {
  const { unfinished, queue } = state;
  if (!unfinished || (unfinished.countedAt > 0 && roomFor(state) > 0)) return false;
  if (!queue.lanes.some(({ waiting }) => waiting.length > 0)) return false;
  return now - unfinished.countedAt >= COUNT_EVERY_MS;
}

/** When there may be room (ms); `now` where there is. */
export function roomAt(state: Budget, now: number): number {
  return roomFor(state) > 0 ? now : now + AGAIN_MS;
}
