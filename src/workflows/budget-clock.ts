/**
 * The clock of a budget. Its time is the result of an activity, so it is in the history; `Date.now()` in a workflow is
 * not. A worker that takes a workflow over to answer a query runs its code with the time of the previous task, while a
 * replay runs it with the right one. Decisions by that time then differ, and the workflow can never be replayed again
 * (SDK 1.24.0; docs/decisions.md).
 *
 * It only moves forward, so that no time in the state of a budget is later than it was planned. When the server's clock
 * is set back, it continues from its last reading.
 *
 * Rejected: a local activity (dropped in a task that only answers a query), times in the requests (there are none
 * without requests), and the clocks of the workers (they differ).
 */

/** The server's clock (ms), and the run of the budget that it was read for: a reset changes it. */
export interface BudgetReading {
  readonly at: number;
  readonly run: string;
}

/** The clock of a budget, in ms: what it shows, and how far it is ahead of the server's since that was set back. */
export interface ClockReading {
  readonly now: number;
  readonly ahead: number;
}

/** Readings are of the server's one clock; a cluster's hosts may differ by less than this (ms). */
const SET_BACK_MS = 1_000;

export class BudgetClock {
  #shown: number;
  #ahead: number;

  constructor({ now, ahead }: ClockReading = { now: 0, ahead: 0 }) {
    this.#shown = now;
    this.#ahead = ahead;
  }

  get now(): number {
    return this.#shown;
  }

  /** For continue-as-new. */
  carried(): ClockReading {
    return { now: this.#shown, ahead: this.#ahead };
  }

  /** A timer for this moment has fired. */
  reaches(at: number): void {
    this.#shown = Math.max(this.#shown, at);
  }

  /**
   * @param since what the clock showed when the reading was requested. It may have been taken minutes later, when a worker
   *   came back: timers that fired in between say nothing about a clock that was set back
   * @returns true when the server's clock was set back: its timers are late by that much
   */
  read(reading: number, since: number): boolean {
    const setBack = since - (reading + this.#ahead);
    if (setBack > SET_BACK_MS) {
      this.#ahead += setBack;
      return true;
    }
    this.reaches(reading + this.#ahead);
    return false;
  }
}
