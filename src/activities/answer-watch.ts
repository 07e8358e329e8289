/** Takes the times of the answer to one POST, for the budget (src/workflows/limiter/answer-times.ts). */
import { createHash } from 'node:crypto';
import type { AnswerTime } from '../domain/outcomes.ts';
import { STEADY_RESOLUTION_MS } from '../ledger/steady-clock.ts';
import type { SubmitAnswer } from '../workflows/submit-types.ts';
import type { Dependencies } from './dependencies.ts';

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
    this.#answered = { clock: nameOf(run), at, after: Math.floor(this.#deps.serverClock.now()) };
  }

  /** The activity has nothing left to do. */
  end(answer: SubmitAnswer): SubmitAnswer {
    if (answer.type !== 'accepted' || this.#answered === null) return answer;
    const ended = Math.floor(this.#deps.steadyClock.now().steadyMs);
    return { ...answer, answered: { ...this.#answered, ended } };
  }
}

/** Short: it is in the history of every submission. */
function nameOf(run: string): string {
  return createHash('sha256').update(run).digest('hex').slice(0, 8);
}
