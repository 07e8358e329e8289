/** The wait that a service requests, in milliseconds. */

/**
 * Longest wait that is obeyed exactly. The longest that the contracts can mean is their window, an hour; a
 * `Retry-After` of years, caused by a wrong unit or clock, must not end a campaign. After an hour we try again; a
 * service that meant it gets one request per hour.
 */
const LONGEST_ORDER_MS = 3_600_000;

/**
 * Reads `Retry-After` (RFC 9110 section 10.2.3): seconds or a date. A date is compared with the answer's own `Date` if
 * it has one, so that a skewed clock on either side does not shorten or extend the wait.
 * @param now ms since the epoch, for an answer without a date of its own
 */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return null;
  if (/^\d+(?:\.\d+)?$/.test(value)) return secondsToMs(Number(value));
  // The runtime reads "-3" as a date: only values that begin like a date are parsed as one.
  const until = /^(?:[A-Za-z]{3,9},? |\d{4}-\d\d-\d\d)/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(until)) return null;
  const sent = Date.parse(headers.get('date') ?? '');
  return obeyed(until - (Number.isNaN(sent) ? now : sent));
}

/** The same, to spread into an outcome; empty if the service requests no wait. */
export function ordered({ headers }: { readonly headers: Headers }): { retryAfterMs?: number } {
  const ms = retryAfterMs(headers, Date.now());
  return ms === null ? {} : { retryAfterMs: ms };
}

/** Seconds, as given by a service, in whole ms rounded up: never earlier than requested. */
export function secondsToMs(seconds: number): number | null {
  return Number.isFinite(seconds) && seconds >= 0 ? obeyed(Math.ceil(seconds * 1000)) : null;
}

function obeyed(ms: number): number {
  return Math.min(LONGEST_ORDER_MS, Math.max(0, ms));
}
