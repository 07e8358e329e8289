/** Whether the rows of an account leave a slot, and when to retry if not. Pure: all times are steady ms. */
import {
  counting,
  longestMs,
  roomIn,
  type Close,
  type Usage,
  type Window,
} from '../budget/policy.ts';
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
  /** The last that has a slot again. */
  readonly window: Window;
}

/** null: every window has a slot. The rows are those of the credential, in any order. */
export function fullness(
  rows: readonly Counted[],
  windows: readonly Window[],
  now: number,
): Fullness | null {
  const usage = usageOf(rows, now);
  const rooms = windows
    .map((window) => ({ window, ...roomIn({ windows: [window], maxOpen: null }, usage, now) }))
    .filter(({ free }) => free === 0)
    .sort((a, b) => b.nextAt - a.nextAt);
  const [last] = rooms;
  if (!last) return null;
  const { window, nextAt } = last;
  // With a limit of 0, no slot will become free.
  const due = Number.isFinite(nextAt) ? nextAt - now : longestMs(windows);
  const wait = usage.inFlight > 0 ? Math.min(due, ASK_AGAIN_MS) : due;
  const others = usageOf(
    rows.filter(({ own }) => !own),
    now,
  );
  const byOthers = others.inFlight + counting(window, others, now).length;
  return { retryAfterMs: Math.max(1, Math.ceil(wait)), byOthers, window };
}

/** Without an answer, a row counts as in flight as long as one may come, and then as answered at the end. */
export function usageOf(rows: readonly Counted[], now: number): Usage {
  const ended = rows.filter((row) => !isOnItsWay(row, now));
  const closes = ended.map((row): Close => [closedAt(row), 1, null]);
  return { inFlight: rows.length - ended.length, closes: closes.sort(([a], [b]) => a - b) };
}

function closedAt({ state, steady }: Counted): number {
  return state === 'charged' ? steady : steady + LATEST_ACCEPTANCE_MS;
}

function isOnItsWay({ state, steady }: Counted, now: number): boolean {
  return state === 'open' && now < steady + LATEST_ACCEPTANCE_MS;
}
