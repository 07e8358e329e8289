/** Takes the times of the answer to one POST, for the budget (src/workflows/answer-times.ts). */
import type { AnswerTime } from '../domain/outcomes.ts';
import { STEADY_RESOLUTION_MS, type Moment } from '../ledger/steady-clock.ts';
import type { SubmitAnswer } from '../workflows/submit-types.ts';
import type { Dependencies } from './dependencies.ts';
import { clockName, readSteadyClock } from './read-clock.ts';

export class AnswerWatch {
  readonly #deps: Pick<Dependencies, 'steadyClock' | 'serverClock'>;
  #answered: Omit<AnswerTime, 'ended'> | null = null;
  #isRecalled = false;

  constructor(deps: Pick<Dependencies, 'steadyClock' | 'serverClock'>) {
    this.#deps = deps;
  }

  /** The service has just accepted the job. */
  accepted(): void {
    this.#note(this.#deps.steadyClock.now(), this.#deps.serverClock.now());
  }

  /**
   * An earlier attempt had the answer, and wrote it into the ledger.
   *
   * @param at by a steady clock of this machine
   * @param scheduledMs when the activity was scheduled, before the answer
   */
  recalled(at: Pick<Moment, 'run' | 'steadyMs'>, scheduledMs: number): void {
    this.#note(at, scheduledMs);
    this.#isRecalled = true;
  }

  #note({ run, steadyMs }: Pick<Moment, 'run' | 'steadyMs'>, after: number): void {
    const at = Math.ceil(steadyMs + STEADY_RESOLUTION_MS);
    this.#answered = { clock: clockName(run), at, after: Math.floor(after) };
  }

  /** The activity has nothing left to do. */
  end(answer: SubmitAnswer): SubmitAnswer {
    if (answer.type !== 'accepted' || this.#answered === null) return answer;
    const { ended } = readSteadyClock(this.#deps);
    const recalled = this.#isRecalled && { recalled: true as const };
    return { ...answer, answered: { ...this.#answered, ended, ...recalled } };
  }
}
