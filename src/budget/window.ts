/**
 * One rolling window: at most `limit` jobs in any stretch of `windowMs`, as the *service* counts them.
 *
 * The service stamps a job somewhere between the moment our request starts and the moment its answer is in
 * (its "close"). So a slot is taken at the start, and stays taken until its close + window + guard: a stamp can
 * only be earlier than its close, so a slot is never granted early. Clients that count from the start of
 * a request are refused instead, because the stamp is up to one latency later.
 *
 * All times are milliseconds of one clock that the caller passes in.
 */

import { LATEST_ACCEPTANCE_MS } from '../domain/longest-post.ts';

/** Covers the rounding of clocks and timers at the service. In ms. */
export const GUARD_MS = 25;

/**
 * Closes older than the window are kept this long (ms) and at most so many: the window may be made longer while it
 * runs, or a limit be set where there was none, and what was accepted before counts then as well.
 */
export const REMEMBERED_MS = 3_600_000;
const REMEMBERED = 1_000;

/** A limit as configured: jobs in a rolling window. */
export interface Limit {
  /** null: no limit. */
  readonly limit: number | null;
  /** ms */
  readonly windowMs: number;
}

/** What decides when the next slot is free. */
export interface Charges extends Limit {
  /** Requests that have started and not closed. */
  inFlight: number;
  /** Close times of the jobs that were charged, ascending: those in the window, and some that have left it. */
  closes: number[];
}

export interface Window extends Charges {
  /** Grants ever made: shows how many happened between two moments. */
  granted: number;
  /** Jobs of others ever found through the service's answers. */
  foreign: number;
  /** How often the limit was changed. */
  changed: number;
}

/** What is known when a slot is taken: needed to read the service's rate-limit headers when the answer is in. */
export interface Ticket {
  /** Slots charged right after this one was taken, itself included. */
  readonly charged: number;
  readonly granted: number;
  readonly foreign: number;
  readonly changed: number;
}

export function newWindow(limit: number | null, windowMs: number): Window {
  return { limit, windowMs, inFlight: 0, closes: [], granted: 0, foreign: 0, changed: 0 };
}

/** What was charged stays charged, under the new length. */
export function setLimit(window: Window, { limit, windowMs }: Limit): void {
  if (window.limit === limit && window.windowMs === windowMs) return;
  Object.assign(window, { limit, windowMs });
  window.changed += 1;
}

/** Slots in use at `now`: outstanding requests and jobs within their window. */
export function charged(window: Charges, now: number): number {
  return window.inFlight + countingCloses(window, now);
}

/** How many closes, from the end, count at `now`. */
export function countingCloses(window: Charges, now: number): number {
  return window.closes.length - firstCharged(window, now);
}

/** Slots that may be taken at `now`; `Infinity` without a limit. Never negative, even after the limit was lowered. */
export function free(window: Charges, now: number): number {
  if (window.limit === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, window.limit - charged(window, now));
}

/** Takes a slot for a request that starts now. The caller has checked that one is free. */
export function take(window: Window, now: number): Ticket {
  forget(window, now);
  window.inFlight += 1;
  window.granted += 1;
  return ticketNow(window, now);
}

/** For a request that starts now in a slot that is taken already. */
export function ticketNow(window: Window, now: number): Ticket {
  const { granted, foreign, changed } = window;
  return { charged: charged(window, now), granted, foreign, changed };
}

/** The request closed and its job was accepted, or may have been: charged until the window has passed. */
export function charge(window: Window, now: number): void {
  window.inFlight -= 1;
  insert(window.closes, now);
}

/** Charges the jobs of the budget that this one replaces. */
export function restore(window: Window, closes: readonly number[]): void {
  for (const close of closes) insert(window.closes, close);
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
 * limit less all that was charged when this request started, less all that was granted or found since. What is
 * missing from that belongs to others and is charged as if it had closed now, the latest moment it can have been.
 * Returns how many foreign jobs were found.
 */
export function reconcile(window: Window, ticket: Ticket, remaining: number, now: number): number {
  // Counted under another limit, by the service or by us: nothing can be read from the difference.
  if (window.limit === null || ticket.changed !== window.changed) return 0;
  const since = window.granted - ticket.granted + (window.foreign - ticket.foreign);
  const least = window.limit - ticket.charged - since;
  const foreign = Math.min(window.limit, Math.max(0, least - remaining));
  for (let i = 0; i < foreign; i += 1) insert(window.closes, now);
  window.foreign += foreign;
  return foreign;
}

/**
 * When the next slot can be taken: `now` if one is free, the release of the right slot otherwise,
 * `Infinity` when only the close of an outstanding request can free one. `due`: when some of these are charged at the
 * latest, ascending.
 */
export function nextFree(window: Charges, now: number, due: readonly number[] = []): number {
  if (free(window, now) > 0) return now;
  // After the limit was lowered, several slots must be released before one is free.
  const excess = charged(window, now) - (window.limit as number);
  const next = firstCharged(window, now) + excess;
  const close = window.closes[next] ?? due[next - window.closes.length];
  return close === undefined ? Number.POSITIVE_INFINITY : release(window, close);
}

/** When the slots now charged become free, ascending: what `hundredfold status` shows. */
export function releases(window: Charges, now: number): number[] {
  return window.closes.slice(firstCharged(window, now)).map((close) => release(window, close));
}

/** The first millisecond at which a job closed at `close` no longer counts. */
function release(window: Charges, close: number): number {
  return close + window.windowMs + GUARD_MS;
}

/** Index of the oldest close that counts at `now`. Without a limit none does. */
function firstCharged(window: Charges, now: number): number {
  if (window.limit === null) return window.closes.length;
  heedSetBack(window, now);
  return firstAfter(window.closes, now - window.windowMs - GUARD_MS);
}

/**
 * A close is in the future when the clock was set back, or when a submission of the run before may still be sent
 * (inherit.ts). By less than that and a window, it makes slots free that much later, and never too early; by more, it
 * would hold them for as long as the clock was wrong.
 */
function heedSetBack({ closes, windowMs }: Charges, now: number): void {
  const latest = now + LATEST_ACCEPTANCE_MS + windowMs;
  for (let i = closes.length - 1; i >= 0 && (closes[i] as number) > latest; i -= 1)
    closes[i] = latest;
}

/** Drops what neither counts nor will: the state stays as small as its limit. */
function forget(window: Window, now: number): void {
  heedSetBack(window, now);
  const { closes, windowMs } = window;
  const past = firstAfter(closes, now - windowMs - GUARD_MS);
  const longPast = firstAfter(closes, now - Math.max(windowMs + GUARD_MS, REMEMBERED_MS));
  const gone = Math.max(longPast, past - REMEMBERED);
  if (gone > 0) closes.splice(0, gone);
}

/** Index of the first value that is greater; the length when none is. */
export function firstAfter(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function insert(ascending: number[], value: number): void {
  ascending.splice(firstAfter(ascending, value), 0, value);
}
