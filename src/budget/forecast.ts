/**
 * When a number of jobs will be submitted, by the arithmetic of the budget: for the live view, `plan` and the
 * budget's own report. For one window, the lower bound for N jobs at L per window W is (ceil(N/L) - 1) x W + the last job.
 */
import type { AccountStatus } from './status.ts';
import { longestSpan, spanOf, type Window } from './policy.ts';

/**
 * The time (ms) at which the last of `jobs` can be submitted, if each is accepted at once and no one else uses the
 * windows. `now` when there is nothing to submit or no limit; `Infinity` with a limit of zero.
 *
 * @param charged when the jobs that count were charged, ascending; for those on their way, `now`
 */
export function lastSubmission(
  windows: readonly Window[],
  charged: readonly number[],
  jobs: number,
  now: number,
): number {
  if (windows.some(({ limit }) => limit <= 0)) return jobs <= 0 ? now : Number.POSITIVE_INFINITY;
  const times = [...charged];
  let last = now;
  // Each goes when, in every window, the job that is `limit` before it has left.
  for (let left = jobs; left > 0; left -= 1) {
    for (const window of windows) {
      const before = times[times.length - window.limit];
      if (before !== undefined) last = Math.max(last, before + spanOf(window));
    }
    times.push(last);
  }
  return last;
}

/**
 * The same, from the status of a budget. A bound on open jobs is a window as long as one of them runs: `jobMs`, if it
 * is known.
 */
export function lastSubmissionIn(
  { windows, open, blockedUntil }: AccountStatus,
  jobs: number,
  jobMs: number | null,
  now: number,
): number {
  const longest = windows.find((window) => spanOf(window) === longestSpan(windows));
  const closes = longest?.releases.map((at) => at - spanOf(longest)) ?? [];
  const inFlight = Math.max(0, (longest?.charged ?? 0) - closes.length);
  const charged = [...closes, ...Array<number>(inFlight).fill(now)].sort((a, b) => a - b);
  const side =
    open === null || jobMs === null ? [] : [{ limit: open.most, windowMs: Math.max(0, jobMs) }];
  return lastSubmission([...windows, ...side], charged, jobs, Math.max(now, blockedUntil ?? 0));
}
