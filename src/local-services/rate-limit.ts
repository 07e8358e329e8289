/**
 * The rolling window as in the contract of the prediction service (8): a job accepted at t takes a slot in (t, t +
 * window]. Pure; the time stamps come from the journal by index.
 */
export interface RateLimit {
  /** Jobs in any window; 0 = no limit. */
  readonly limit: number;
  readonly windowMs: number;
}

/** The current content of the window. */
export interface WindowCount {
  readonly accepted: number;
  /** The time stamp that frees the next slot when it leaves, in ms; null if the window is empty. */
  readonly freeing: number | null;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly limit: number;
  /** Free slots, before this job is counted. */
  readonly remaining: number;
  /** Whole seconds until the next slot is free, rounded up so that a waiting client is never too early. */
  readonly resetAfterSeconds: number;
}

/** Time stamps later than this are in the window. */
export function windowStart(limit: RateLimit, now: number): number {
  return now - limit.windowMs;
}

/**
 * The rank, from the oldest, of the time stamp that frees the next slot: the oldest, unless the window has more jobs
 * than the limit (because the limit was lowered).
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
