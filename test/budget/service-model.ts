/**
 * An independent, naive model of a rate-limited service: it keeps every stamp and counts them. Nothing of
 * `src/budget` is used here, so that both cannot be wrong together.
 */
export class ServiceModel {
  readonly stamps: number[] = [];
  readonly limit: number;
  readonly windowMs: number;

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  /** Accepted jobs in the half-open window (at - windowMs, at]. */
  countAt(at: number): number {
    return this.stamps.filter((stamp) => stamp > at - this.windowMs && stamp <= at).length;
  }

  /** Stamps an accepted job. */
  accept(at: number): void {
    this.stamps.push(at);
  }

  /** The most jobs in any window, wherever it lies. */
  fullestWindow(): number {
    return Math.max(0, ...this.stamps.map((stamp) => this.countAt(stamp)));
  }
}
