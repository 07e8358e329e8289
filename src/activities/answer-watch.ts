/** Takes the times of the answer to one POST, for the budget (src/workflows/limiter/answer-times.ts). */
import type { AnswerTime } from '../domain/outcomes.ts';
import { STEADY_RESOLUTION_MS } from '../ledger/steady-clock.ts';
import type { SubmitAnswer } from '../workflows/submit-types.ts';
import type { Dependencies } from './dependencies.ts';
import { clockName, readSteadyClock } from './read-clock.ts';

export class AnswerWatch {
  readonly #deps: Pick<Dependencies, 'steadyClock' | 'serverClock'>;
  #answered: Omit<AnswerTime, 'ended'> | null = null;

  constructor(deps: Pick<Dependencies, 'steadyClock' | 'serverClock'>) {
    this.#deps = deps;
  }

  /** The service has just accepted the job. */
  accepted(): void {
    const { run, steadyMs } = this.#deps.steadyClock.now();
    const at = Math.ceil(steadyMs + STEADY_RESOLUTION_MS);
    this.#answered = { clock: clockName(run), at, after: Math.floor(this.#deps.serverClock.now()) };
  }

  /** The activity has nothing left to do. */
  end(answer: SubmitAnswer): SubmitAnswer {
    if (answer.type !== 'accepted' || this.#answered === null) return answer;
    const { ended } = readSteadyClock(this.#deps);
    return { ...answer, answered: { ...this.#answered, ended } };
  }
}
