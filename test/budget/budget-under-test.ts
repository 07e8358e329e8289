/** The real budget, as used in the workflow. */
import { isDeepStrictEqual } from 'node:util';
import { decideWithLead, decide, type Budget, type Decision } from '../../src/budget/budget.ts';
import { sortByTightness } from '../../src/budget/status.ts';
import { PlayedBudget } from './a-budget.ts';
import { Broken } from './naive.ts';

/** As it comes back from a history or a memo. */
export function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

export class BudgetUnderTest extends PlayedBudget {
  readonly #choose: (state: Budget, now: number) => Decision;

  /** @param ahead slots are granted shortly before they are free, as in the workflow */
  constructor(ahead: boolean) {
    super(null);
    this.#choose = ahead ? decideWithLead : decide;
  }

  decide(now: number): Decision {
    return this.#choose(this.state, now);
  }

  /** The state becomes JSON for the next run of the workflow, and must decide and report the same there as here. */
  continueAsNew(now: number): void {
    const text = JSON.stringify(this.state);
    if (!isDeepStrictEqual(JSON.parse(text), this.state))
      throw new Broken('the state is plain data', `what travels is ${text}`);
    const here = this.#tell(now);
    this.state = JSON.parse(text) as Budget;
    const there = this.#tell(now);
    if (here !== there)
      throw new Broken('continue-as-new changes nothing', `${here} there became ${there}`);
    // It has decided meanwhile.
    this.state = JSON.parse(text) as Budget;
  }

  #tell(now: number): string {
    const said = this.status(now);
    const { charged = null } = sortByTightness(said)[0] ?? {};
    const sum = said.use.reduce((total, line) => total + line.charged, 0);
    if (charged !== null && sum !== charged)
      throw new Broken('every slot has one user', `${sum} of ${charged}`);
    return JSON.stringify({ said, decided: this.decide(now) });
  }
}
