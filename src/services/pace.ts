/**
 * When the status of a job may be requested, so that all jobs of a service together stay below a number of requests
 * per second.
 *
 * In the worker and not in the budget, which has no data about a job after its acceptance; each worker has its own
 * pace. Rejected: a workflow that assigns turns, which costs an event per request.
 */

/** A shorter wait (ms) is done in the process: another attempt by the Temporal server costs more. */
export const WAITED_HERE_MS = 2_000;

/** With a pace, a young job is polled at most this often (ms). */
const SHORTEST_MS = 500;
const LONGEST_MS = 60_000;
const SHARE_OF_AGE = 0.025;
/** A job not polled for this long (ms) has ended elsewhere: another worker polls it, or it was cancelled. */
const FORGOTTEN_AFTER_MS = 2 * 3_600_000;

export class Pace {
  readonly #perSecond: number | null;
  readonly #now: () => number;
  /** Job → not to be polled before (ms). In the order of the last request. */
  readonly #open = new Map<string, { since: number; askedAt: number; notBefore: number }>();
  /**
   * Open jobs that this worker polls, each until this time (ms). A job that is not polled here for much longer than
   * expected counts at another worker, or nowhere.
   */
  readonly #polledHere = new Map<string, number>();
  /** Job → not to be downloaded before (ms). */
  readonly #held = new Map<string, number>();
  /** When the next request may be sent (ms). */
  #nextAt = 0;

  /** @param now monotonic, ms */
  constructor(perSecond: number | null, now: () => number) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** The service has just accepted a job. */
  accepted(job: string, retryAfterMs: number): void {
    this.#note(job, retryAfterMs);
  }

  /** How long to wait before this job is polled (ms); 0 or a short wait takes the turn. */
  turn(job: string): number {
    const now = this.#now();
    const early = (this.#open.get(job)?.notBefore ?? 0) - now;
    if (this.#perSecond === null) return Math.max(0, early);
    const spacing = 1_000 / this.#perSecond;
    const waitMs = Math.max(0, early, this.#nextAt - now);
    // Turns further ahead are not reserved: the caller asks again later, and an unused turn would be lost.
    if (waitMs <= WAITED_HERE_MS) this.#nextAt = Math.max(now, this.#nextAt) + spacing;
    return waitMs;
  }

  /** A job was polled and is still open: when to poll it again (ms), with a pace; null without one. */
  asked(job: string, retryAfterMs: number): number | null {
    this.#forget();
    this.#note(job, retryAfterMs);
    return this.#perSecond === null ? null : Math.max(retryAfterMs, this.#dueMs(job), this.roundMs);
  }

  /** How long it takes to poll every open job once (ms); 0 without a pace. */
  get roundMs(): number {
    return this.#perSecond === null ? 0 : (this.#countPolled() / this.#perSecond) * 1_000;
  }

  ended(job: string, holdMs: number): void {
    this.#open.delete(job);
    this.#polledHere.delete(job);
    if (holdMs > 0) this.#held.set(job, this.#now() + holdMs);
  }

  /** Remaining time in which this job must not be downloaded, as the service requested (ms). */
  heldMs(job: string): number {
    const until = this.#held.get(job);
    if (until === undefined) return 0;
    const waitMs = until - this.#now();
    if (waitMs <= 0) this.#held.delete(job);
    return Math.max(0, waitMs);
  }

  /** By its age alone: the end of a job is noticed late by a small part of its run time. In ms. */
  #dueMs(job: string): number {
    const age = this.#now() - (this.#open.get(job)?.since ?? this.#now());
    return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, age * SHARE_OF_AGE));
  }

  #note(job: string, retryAfterMs: number): void {
    const askedAt = this.#now();
    const since = this.#open.get(job)?.since ?? askedAt;
    // Removed first, so that it moves to the end: the oldest stay at the front.
    this.#open.delete(job);
    this.#open.set(job, { since, askedAt, notBefore: askedAt + retryAfterMs });
    const longestMs = Math.max(LONGEST_MS, retryAfterMs, this.roundMs);
    this.#polledHere.set(job, askedAt + 2 * longestMs);
  }

  #countPolled(): number {
    for (const [job, until] of this.#polledHere) {
      if (until <= this.#now()) this.#polledHere.delete(job);
    }
    return this.#polledHere.size;
  }

  #forget(): void {
    for (const [job, { askedAt }] of this.#open) {
      if (this.#now() - askedAt < FORGOTTEN_AFTER_MS) return;
      this.#open.delete(job);
    }
  }
}
