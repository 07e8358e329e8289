/**
 * When a number of jobs will be submitted, by the arithmetic of the budget: for the live view, `plan` and the
 * budget's own report. The lower bound for N jobs at L per window W is (ceil(N/L) - 1) x W + the last job.
 */
import type { WindowStatus } from './status.ts';
import { GUARD_MS, charged, free, releases, type Charges } from './window.ts';

/**
 * The time (ms) at which the last of `jobs` can be submitted, if each is accepted at once and no one else uses the
 * window. `now` when there is nothing to submit or no limit; `Infinity` with a limit of zero.
 */
export function lastSubmission(window: Charges, jobs: number, now: number): number {
  if (jobs <= 0 || window.limit === null) return now;
  if (window.limit <= 0) return Number.POSITIVE_INFINITY;
  const atOnce = Math.min(jobs, free(window, now));
  const left = jobs - atOnce;
  if (left === 0) return now;
  // One round is a stretch in which every slot is released once: first those charged now, then today's burst.
  const step = window.windowMs + GUARD_MS;
  const inFlight = Array.from({ length: window.inFlight }, () => now + step);
  const burst = Array.from({ length: atOnce }, () => now + step);
  const excess = Math.max(0, charged(window, now) - window.limit);
  const round = [...releases(window, now), ...inFlight, ...burst].slice(excess);
  const rounds = Math.floor((left - 1) / round.length);
  return (round[(left - 1) % round.length] as number) + rounds * step;
}

/** The same, from the status of one of the budget's windows. */
export function lastSubmissionIn(status: WindowStatus, jobs: number, now: number): number {
  const { limit, windowMs, blockedUntil } = status;
  const closes = status.releases.map((release) => release - windowMs - GUARD_MS);
  const window = { limit, windowMs, inFlight: status.charged - closes.length, closes, granted: 0 };
  return lastSubmission(window, jobs, Math.max(now, blockedUntil ?? 0));
}
