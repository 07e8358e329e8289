/**
 * The services' own clock. Its times never go backwards, because the rolling window and the job order depend on them;
 * the fault `skew` affects only times in responses.
 */
export class Clock {
  #last = 0;
  /** Offset in ms of the times in responses; 0 unless the fault `skew` is on. */
  skewMs: () => number = () => 0;

  /** ms since the epoch, never less than the previous value. */
  now(): number {
    this.#last = Math.max(this.#last, Date.now());
    return this.#last;
  }

  /** ISO 8601 with UTC offset, as both contracts require. */
  format(ms: number | null): string | null {
    if (ms === null) return null;
    return new Date(ms + this.skewMs()).toISOString().replace('Z', '+00:00');
  }
}
