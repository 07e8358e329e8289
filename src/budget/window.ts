/**
 * One rolling window: at most `limit` jobs in any stretch of `windowMs`, as the *service* counts them.
 *
 * The service stamps a job somewhere between the moment our request starts and the moment its answer is in
 * (its "close"). So a slot is taken at the start, and stays taken until its close + window + guard: a stamp can
 * only be earlier than its close, hence a slot is never given out early. Clients that count from the start of
 * a request are refused instead, because the stamp is up to one latency later.
 *
 * All times are milliseconds of one clock that the caller passes in.
 */

/** Covers the rounding of clocks and timers at the service. In ms. */
export const GUARD_MS = 25;

export interface Window {
  /** Jobs allowed in the window; null: no limit. */
  limit: number | null;
  /** Length of the window in ms. */
  windowMs: number;
  /** Requests that have started and not closed. */
  inFlight: number;
  /** Close times of the jobs that are charged, ascending. */
  closes: number[];
  /** Grants ever made: tells how many happened between two moments. */
  granted: number;
}

/** What is known when a slot is taken: needed to read the service's rate-limit headers when the answer is in. */
export interface Ticket {
  /** Slots charged right after this one was taken, itself included. */
  readonly charged: number;
  readonly granted: number;
}

export function newWindow(limit: number | null, windowMs: number): Window {
  return { limit, windowMs, inFlight: 0, closes: [], granted: 0 };
}

/** Forgets the jobs whose window has passed. */
export function expire(window: Window, now: number): void {
  const oldest = now - window.windowMs - GUARD_MS;
  let gone = 0;
  while (gone < window.closes.length && (window.closes[gone] as number) <= oldest) gone += 1;
  if (gone > 0) window.closes.splice(0, gone);
}

/** Slots in use at `now`: outstanding requests and jobs within their window. */
export function charged(window: Window, now: number): number {
  expire(window, now);
  return window.inFlight + window.closes.length;
}

/** Slots that may be taken at `now`; `Infinity` without a limit. Never negative, even after the limit was lowered. */
export function free(window: Window, now: number): number {
  if (window.limit === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, window.limit - charged(window, now));
}

/** Takes a slot for a request that starts now. The caller has checked that one is free. */
export function take(window: Window, now: number): Ticket {
  window.inFlight += 1;
  window.granted += 1;
  return { charged: charged(window, now), granted: window.granted };
}

/** The request closed and its job was accepted, or may have been: charged until the window has passed. */
export function charge(window: Window, now: number): void {
  window.inFlight -= 1;
  if (window.limit !== null) insert(window.closes, now);
}

/** The request closed and certainly made no job: the slot is free again at once. */
export function giveBack(window: Window): void {
  window.inFlight -= 1;
}

/**
 * Believes the service when it says that *less* is left than we think: someone else uses the same credential.
 * To be called before `charge`, with the ticket of the request whose answer carried `remaining`.
 *
 * Other requests of ours may have been stamped before this one, so the least that can rightly be left is the
 * limit less all that was charged when this request started, less all that was granted since. What is missing
 * from that belongs to others and is charged as if it had closed now, the latest moment it can have been.
 * Returns how many foreign jobs were found.
 */
export function reconcile(window: Window, ticket: Ticket, remaining: number, now: number): number {
  if (window.limit === null) return 0;
  const grantedSince = window.granted - ticket.granted;
  const least = window.limit - ticket.charged - grantedSince;
  const foreign = Math.min(window.limit, Math.max(0, least - remaining));
  for (let i = 0; i < foreign; i += 1) insert(window.closes, now);
  return foreign;
}

/**
 * When the next slot can be taken: `now` if one is free, the release of the right slot otherwise,
 * `Infinity` when only the close of an outstanding request can free one.
 */
export function nextFree(window: Window, now: number): number {
  if (free(window, now) > 0) return now;
  // After the limit was lowered, several slots must be released before one is free.
  const excess = window.inFlight + window.closes.length - (window.limit as number);
  const close = window.closes[excess];
  return close === undefined ? Number.POSITIVE_INFINITY : release(window, close);
}

/** When the slots now charged become free, ascending: what `hundredfold budget` shows. */
export function releases(window: Window, now: number): number[] {
  expire(window, now);
  return window.closes.map((close) => release(window, close));
}

/** The first millisecond at which a job closed at `close` no longer counts. */
function release(window: Window, close: number): number {
  return close + window.windowMs + GUARD_MS;
}

function insert(ascending: number[], value: number): void {
  let at = ascending.length;
  while (at > 0 && (ascending[at - 1] as number) > value) at -= 1;
  ascending.splice(at, 0, value);
}
