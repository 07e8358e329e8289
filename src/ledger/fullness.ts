/** Whether a rolling window has a free slot, and when to retry if not. Pure: all times are steady ms. */
import { GUARD_MS, type Limit } from '../budget/window.ts';
import { LATEST_ACCEPTANCE_MS } from '../domain/longest-post.ts';

/** While a request in progress may be refused and free its slot at any moment, retry this soon (ms). */
export const ASK_AGAIN_MS = 1_000;

/** A row that may count in a window. */
export interface Counted {
  readonly state: 'open' | 'charged';
  /** Time of the answer, or of the reservation while it is open. */
  readonly steady: number;
  readonly own: boolean;
}

interface Fullness {
  readonly retryAfterMs: number;
  readonly byOthers: number;
}

/** null: a slot is free. The rows are those of the window's credential, in any order. */
export function fullness(rows: readonly Counted[], limit: Limit, now: number): Fullness | null {
  if (limit.limit === null) return null;
  const counted = rows.filter((row) => counts(row, limit, now));
  const excess = counted.length - limit.limit;
  if (excess < 0) return null;
  const byOthers = counted.filter(({ own }) => !own).length;
  const releases = counted.map((row) => release(row, limit, now)).sort((a, b) => a - b);
  // With a limit of 0, no slot will become free.
  const due = (releases[excess] ?? now + limit.windowMs) - now;
  const mayBeFreed = counted.some((row) => isOnItsWay(row, now));
  const wait = mayBeFreed ? Math.min(due, ASK_AGAIN_MS) : due;
  return { retryAfterMs: Math.max(1, Math.ceil(wait)), byOthers };
}

export function counts(row: Counted, limit: Limit, now: number): boolean {
  return release(row, limit, now) > now;
}

/** When it leaves the window; while it is in progress, this grows with each call. */
export function release(row: Counted, { windowMs }: Limit, now: number): number {
  return closedAt(row, now) + windowMs + GUARD_MS;
}

/** When the answer came, or the earliest time at which it would come. Without one, it counts as answered at the end. */
function closedAt(row: Counted, now: number): number {
  if (row.state === 'charged') return row.steady;
  return isOnItsWay(row, now) ? now : row.steady + LATEST_ACCEPTANCE_MS;
}

function isOnItsWay({ state, steady }: Counted, now: number): boolean {
  return state === 'open' && now < steady + LATEST_ACCEPTANCE_MS;
}
