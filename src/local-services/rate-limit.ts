/**
 * The rolling window as the service keeps it (contract of the prediction service, 8): a job accepted at t takes a
 * place in (t, t + window]. Pure; the stamps come from the journal by index.
 */
export interface RateLimit {
  /** Jobs in any window; 0 = none. */
  readonly limit: number;
  readonly windowMs: number;
}

/** What the window holds now. */
export interface WindowCount {
  readonly accepted: number;
  /** The stamp whose leaving frees the next place, ms; null when nothing is in the window. */
  readonly freeing: number | null;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly limit: number;
  /** Places left, before the job in question is counted. */
  readonly remaining: number;
  /** Whole seconds until the next place is free, rounded up so that a client that waits is never early. */
  readonly resetAfterSeconds: number;
}

/** Stamps later than this are in the window. */
export function windowStart(limit: RateLimit, now: number): number {
  return now - limit.windowMs;
}

/**
 * The stamp whose leaving frees the next place, by its rank from the oldest in the window: the oldest, unless the
 * window holds more than the limit (the limit was lowered while jobs were in it).
 */
export function freeingRank(limit: RateLimit, accepted: number): number {
  return limit.limit === 0 ? 0 : Math.max(0, accepted - limit.limit);
}

export function judge(limit: RateLimit, count: WindowCount, now: number): Verdict {
  const allowed = limit.limit === 0 || count.accepted < limit.limit;
  const wait = count.freeing === null ? 0 : Math.max(0, count.freeing + limit.windowMs - now);
  return {
    allowed,
    limit: limit.limit,
    remaining: limit.limit === 0 ? 0 : Math.max(0, limit.limit - count.accepted),
    resetAfterSeconds: Math.ceil(wait / 1000),
  };
}
