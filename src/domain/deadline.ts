/**
 * The end of a wait, by a clock that cannot be set. With the wall clock, a wait ends immediately when the clock is set
 * forward, or an hour late when it is set back: a command gave up on a starting host after the clock was corrected.
 */
export class Deadline {
  readonly #endsAt: number;

  /** @param ms from now on */
  constructor(ms: number) {
    this.#endsAt = performance.now() + ms;
  }

  get hasPassed(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Remaining time (ms), at least 1: a time-out of 0 often means no time-out. */
  get leftMs(): number {
    return Math.max(1, this.#endsAt - performance.now());
  }
}
