/**
 * How long ago the answer to a POST was complete, when its activity ends: the item has begun meanwhile, or the worker
 * had died and another one reports. Both moments are of one steady clock. The budget reads its clock after the end, so
 * the reading less this time is never before the answer.
 */
import { STEADY_RESOLUTION_MS, type Moment, type SteadyClock } from '../ledger/steady-clock.ts';
import type { SubmitAnswer } from '../workflows/activity-types.ts';

/** Two clocks drift apart by less than this share of the time, even if NTP corrects both in opposite directions. */
const DRIFT = 0.001;

export type Answered = Pick<Moment, 'run' | 'steadyMs'>;

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

  /** The activity has nothing left to do. */
  end(answer: SubmitAnswer): SubmitAnswer {
    if (answer.type !== 'accepted' || this.#answered === null) return answer;
    const { run, steadyMs } = this.#clock.now();
    if (run !== this.#answered.run) return answer;
    const elapsed = steadyMs - this.#answered.steadyMs - STEADY_RESOLUTION_MS;
    return { ...answer, agoMs: Math.max(0, Math.floor(elapsed * (1 - DRIFT))) };
  }
}
