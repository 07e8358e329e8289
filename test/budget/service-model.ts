/**
 * An independent, naive model of the rate limit of the service: it keeps every stamp and counts them. Nothing of
 * `src/budget` is used here, so that both cannot have the same error.
 */
export class ServiceModel {
  /** Jobs in a window; null: no limit. */
  limit: number | null;
  windowMs: number;
  /** Our jobs and those of others, in ms of true time. */
  readonly #stamps: { readonly at: number; readonly ours: boolean }[] = [];

  constructor(limit: number | null, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  /** Stamps an accepted job. */
  accept(at: number, ours: boolean): void {
    this.#stamps.push({ at, ours });
  }

  /** Accepted jobs in the half-open window (at - windowMs, at]. */
  countAt(at: number): number {
    return this.#stamps.filter((stamp) => stamp.at > at - this.windowMs && stamp.at <= at).length;
  }

  hasRoomAt(at: number): boolean {
    return this.limit === null || this.countAt(at) < this.limit;
  }

  /** X-RateLimit-Remaining after a job stamped at `at`. */
  remainingAt(at: number): number | null {
    return this.limit === null ? null : Math.max(0, this.limit - this.countAt(at));
  }

  /** When the oldest job in the window leaves it: the Retry-After of a 429. */
  roomAt(at: number): number {
    const inWindow = this.#stamps.filter((stamp) => stamp.at > at - this.windowMs);
    return Math.min(...inWindow.map((stamp) => stamp.at)) + this.windowMs;
  }

  /** Jobs of others that were accepted after `at`. */
  foreignSince(at: number): number {
    return this.#stamps.filter((stamp) => !stamp.ours && stamp.at > at).length;
  }
}
