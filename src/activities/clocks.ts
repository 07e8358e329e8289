/** What an activity knows of the time: that of the Temporal server, and how long ago an answer arrived. */
import { performance } from 'node:perf_hooks';
import type { Info } from '@temporalio/activity';
import { STEADY_RESOLUTION_MS, type Moment, type SteadyClock } from '../ledger/steady-clock.ts';

/** Two clocks drift by less than 0.1 ms a second: an observation this old is off by a few ms at most. */
const REMEMBERED_MS = 60_000;

/**
 * An estimate of the clock of the Temporal server. Its timestamps arrive later, never earlier: the smallest difference
 * seen between them and our clock is the true one plus the shortest transfer time. So a wait by this estimate may end a
 * few milliseconds late but never early, however wrong either clock is.
 */
export class ServerClock {
  /**
   * Only what can still be the least: times and differences both grow from front to back, and the first is the least.
   * An activity reads it several times, and thousands of timestamps arrive in a minute: a search through all of them
   * took 2 ms of CPU an item.
   */
  readonly #least: { readonly at: number; readonly difference: number }[] = [];
  readonly #ours: () => number;

  /** @param ours a clock of this machine that is never set, in ms */
  constructor(ours: () => number = () => performance.now()) {
    this.#ours = ours;
  }

  /** Something that the server stamped `stampMs` has just arrived. */
  saw(stampMs: number): void {
    const at = this.#ours();
    const difference = at - stampMs;
    while ((this.#least.at(-1)?.difference ?? -Infinity) >= difference) this.#least.pop();
    this.#least.push({ at, difference });
    const kept = this.#least.findIndex((one) => at - one.at < REMEMBERED_MS);
    if (kept > 0) this.#least.splice(0, kept);
  }

  /** How long to wait (ms) until the server's clock certainly shows `at`; 0 when it does already. */
  until(at: number): number {
    return Math.max(0, at + this.#difference() - this.#ours());
  }

  /** What the server's clock shows (ms), or less by the quickest way from there. */
  now(): number {
    return this.#ours() - this.#difference();
  }

  /** How long ago (ms) the server stamped this, or less by the quickest way from there; never negative. */
  since(stampMs: number): number {
    return Math.max(0, this.now() - stampMs);
  }

  #difference(): number {
    const [first] = this.#least;
    if (!first) throw new Error('nothing of the server was seen yet');
    return first.difference;
  }
}

/**
 * How long ago (ms) an activity was first scheduled. That timestamp is the server's, so its clock is used: hosts whose
 * clocks are minutes apart would otherwise poll minutes too late, or give up too early.
 */
export function computeAge(
  clock: ServerClock,
  info: Pick<Info, 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs'>,
): number {
  clock.saw(info.currentAttemptScheduledTimestampMs);
  return clock.since(info.scheduledTimestampMs);
}

/** Two clocks drift apart by less than this share of the time, even if NTP corrects both in opposite directions. */
const DRIFT = 0.001;

export type Answered = Pick<Moment, 'run' | 'steadyMs'>;

/**
 * How long ago the answer to a POST was complete, when its activity ends: the item has begun meanwhile, or the worker
 * had died and another one reports. Both moments are of one steady clock. The budget reads its clock after the end, so
 * the reading less this time is never before the answer.
 */
export class AnswerWatch {
  readonly #clock: SteadyClock;
  #answered: Answered | null = null;

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** The service has accepted the job: just now, or as the ledger of this machine knows. */
  accepted(at: Answered = this.#clock.now()): void {
    this.#answered = at;
  }

  /** How long ago that was (ms), or less; null if it is not known. */
  agoMs(): number | null {
    const { run, steadyMs } = this.#clock.now();
    if (this.#answered === null || run !== this.#answered.run) return null;
    const elapsed = steadyMs - this.#answered.steadyMs - STEADY_RESOLUTION_MS;
    return Math.max(0, Math.floor(elapsed * (1 - DRIFT)));
  }
}
