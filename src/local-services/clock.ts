/**
 * The services' own clock. Stamps never go backwards, because the rolling window and the job order are built on
 * them; the fault `skew` moves only what a client is told.
 */
export class Clock {
  #last = 0;
  /** ms that the times told to clients are off; 0 unless the fault `skew` is on. */
  skewMs: () => number = () => 0;

  /** ms since the epoch, never less than the last answer. */
  now(): number {
    this.#last = Math.max(this.#last, Date.now());
    return this.#last;
  }

  /** ISO 8601 with UTC offset, as both contracts want their date-times. */
  iso(ms: number): string {
    return new Date(ms + this.skewMs()).toISOString().replace('Z', '+00:00');
  }

  isoOrNull(ms: number | null): string | null {
    return ms === null ? null : this.iso(ms);
  }
}
