/**
 * When the status of a job may be asked for, so that all jobs of a service together ask at most so often a second.
 *
 * In the worker and not in the budget, which knows nothing of a job once it is accepted; several workers have a
 * pace each. Rejected: a workflow that hands out turns, an event for each question.
 */

/** With a pace, a young job is not asked about more often than this (ms). */
const SHORTEST_MS = 500;
const LONGEST_MS = 60_000;
const SHARE_OF_AGE = 0.025;
/** A job that nobody asked about for so long (ms) has ended elsewhere: another worker polls it, or it was cancelled. */
const FORGOTTEN_AFTER_MS = 2 * 3_600_000;

export class Pace {
  readonly #perSecond: number | null;
  readonly #now: () => number;
  /** Job → not to be asked about before (ms). In the order of their last question. */
  readonly #open = new Map<string, { since: number; askedAt: number; notBefore: number }>();
  /** Job → not to be downloaded before (ms). */
  readonly #held = new Map<string, number>();
  /** When the next request may be sent (ms). */
  #nextAt = 0;

  /** @param now monotonic, ms */
  constructor(perSecond: number | null, now: () => number) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** A job that the service has just taken on. */
  accepted(job: string, retryAfterMs: number): void {
    this.#note(job, retryAfterMs);
  }

  /** How long to wait before this job is asked about (ms); 0 takes the turn, as does a wait that is then kept. */
  turn(job: string): number {
    const now = this.#now();
    const early = (this.#open.get(job)?.notBefore ?? 0) - now;
    if (this.#perSecond === null) return Math.max(0, early);
    const spacing = 1_000 / this.#perSecond;
    const waitMs = Math.max(0, early, this.#nextAt - now);
    // Far ahead nothing is reserved: who waits longer asks again, and a turn that nobody takes would be lost.
    if (waitMs <= 2_000) this.#nextAt = Math.max(now, this.#nextAt) + spacing;
    return waitMs;
  }

  /** A job was asked about and goes on: when to ask again (ms), with a pace; null without one. */
  asked(job: string, retryAfterMs: number): number | null {
    this.#forget();
    this.#note(job, retryAfterMs);
    return this.#perSecond === null ? null : Math.max(retryAfterMs, this.dueMs(job), this.roundMs);
  }

  /** How long it takes to ask about every open job once (ms); 0 without a pace. */
  get roundMs(): number {
    return this.#perSecond === null ? 0 : (this.#open.size / this.#perSecond) * 1_000;
  }

  /** By its age alone: the end of a job is noticed a small part of its run time late. In ms. */
  dueMs(job: string): number {
    const age = this.#now() - (this.#open.get(job)?.since ?? this.#now());
    return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, age * SHARE_OF_AGE));
  }

  ended(job: string, holdMs: number): void {
    this.#open.delete(job);
    if (holdMs > 0) this.#held.set(job, this.#now() + holdMs);
  }

  /** How much longer the service wants no download of this job (ms). */
  heldMs(job: string): number {
    const until = this.#held.get(job);
    if (until === undefined) return 0;
    const waitMs = until - this.#now();
    if (waitMs <= 0) this.#held.delete(job);
    return Math.max(0, waitMs);
  }

  #note(job: string, retryAfterMs: number): void {
    const askedAt = this.#now();
    const since = this.#open.get(job)?.since ?? askedAt;
    // Removed first, so that it goes to the end: the oldest stay in front.
    this.#open.delete(job);
    this.#open.set(job, { since, askedAt, notBefore: askedAt + retryAfterMs });
  }

  #forget(): void {
    for (const [job, { askedAt }] of this.#open) {
      if (this.#now() - askedAt < FORGOTTEN_AFTER_MS) return;
      this.#open.delete(job);
    }
  }
}
