/** When a campaign will end, by the budget's own arithmetic run ahead. */
import { lastSubmission } from '../budget/forecast.ts';
import type { WindowStatus } from '../budget/status.ts';
import type { Observation } from './observe.ts';

/** ms since the epoch; null when no limit decides it, nothing is left to submit, or it is paused. */
export function expectedEnd({ progress, waiting, budgets, at }: Observation): number | null {
  if (progress.state === 'paused') return null;
  const done = Object.values(progress.ended).reduce((sum, n) => sum + n, 0);
  const unsent = progress.total - done - (progress.open - waiting);
  if (unsent <= 0) return null;
  const limited = budgets
    .flatMap(({ credentials }) => credentials)
    .filter(({ limit }) => limit !== null);
  const ends = limited.map((window) => lastSubmission(windowOf(window), unsent, at));
  const end = Math.max(...ends);
  return Number.isFinite(end) && end > at ? end : null;
}

function windowOf(status: WindowStatus) {
  const { limit, windowMs, charged, releases } = status;
  const closes = releases.map((release) => release - windowMs);
  return { limit, windowMs, inFlight: charged - releases.length, closes, granted: 0 };
}
