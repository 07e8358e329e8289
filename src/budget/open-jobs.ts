/**
 * How many jobs a service has accepted with the token and not ended, for `maxOpen` of the policy: a shared service is kept busy, but not
 * overloaded. The number is counted regularly among all running items, so that it cannot drift; in between, newly
 * accepted jobs are added, some of which the next count may see as well: it is never too small. A submission of unknown
 * fate may have made a job, and is one until its job is found or its fate is settled.
 *
 * Rejected: a signal for the end of each job. It costs a signal an item, and drifts when a worker dies before it
 * sends one.
 */
import type { Usage } from './policy.ts';
import type { Budget } from './state.ts';

/** An accepted job is seen by a count this much later (ms): the index of running workflows lags behind. */
const SEEN_AFTER_MS = 3_000;
/** Not counted more often than this (ms). */
const COUNT_EVERY_MS = 1_000;

/** They are counted where the policy has a bound. */
export function countOpenJobs(state: Budget): void {
  if (state.policy.maxOpen === null) delete state.open;
  else state.open ??= { count: 0, countedAt: 0, accepted: [] };
}

export function noteAccepted({ open }: Budget, now: number): void {
  open?.accepted.push(now);
}

export function noteCount({ open }: Budget, count: number, now: number): void {
  if (!open) return;
  const known = open.countedAt > 0 ? open.count + open.accepted.length : Number.POSITIVE_INFINITY;
  open.accepted = open.accepted.filter((at) => at > now - SEEN_AFTER_MS);
  // Those accepted last may be in both. There are not more than were known, but for jobs that came another way.
  open.count = Math.min(count, Math.max(known, count) - open.accepted.length);
  open.countedAt = now;
}

/** Those on their way and of unknown fate included; undefined where they are not counted. */
export function openJobs({ open, outstanding, unsure }: Budget): number | undefined {
  if (!open) return undefined;
  const perhaps = Object.keys(outstanding).length + Object.keys(unsure).length;
  return open.count + open.accepted.length + perhaps;
}

/** What counts against the policy. */
export function usageOf(state: Budget): Usage {
  const open = openJobs(state);
  return open === undefined ? state.charges : { ...state.charges, open };
}

/** Whether requests wait for room, and counting may find some. */
export function needsCount(state: Budget, now: number): boolean {
  const { open, queue, policy } = state;
  if (!open || policy.maxOpen === null) return false;
  if (open.countedAt > 0 && (openJobs(state) ?? 0) < policy.maxOpen) return false;
  if (!queue.lanes.some(({ waiting }) => waiting.length > 0)) return false;
  return now - open.countedAt >= COUNT_EVERY_MS;
}
