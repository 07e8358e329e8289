/** The real budget, as used in the workflow. */
import { isDeepStrictEqual } from 'node:util';
import { decideAhead } from '../../src/budget/ahead.ts';
import { apply, decide, newBudget, type Budget, type Decision } from '../../src/budget/budget.ts';
import type { BudgetEvent } from '../../src/budget/events.ts';
import { describe, snapshotOf, type BudgetStatus } from '../../src/budget/status.ts';
import { Broken } from './naive.ts';

/** As it comes back from a history or a memo. */
export function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

export class BudgetUnderTest {
  state: Budget = newBudget();
  readonly #choose: (state: Budget, now: number) => Decision;

  /** @param ahead slots are granted shortly before they are free, as in the workflow */
  constructor(ahead: boolean) {
    this.#choose = ahead ? decideAhead : decide;
  }

  apply(event: BudgetEvent, now: number): void {
    apply(this.state, event, now);
  }

  decide(now: number): Decision {
    return this.#choose(this.state, now);
  }

  allowOnTheirWay(most: number): void {
    this.state.maxOutstanding = most;
  }

  /** The state becomes JSON for the next run of the workflow, and must decide and report the same there as here. */
  continueAsNew(now: number): void {
    const text = JSON.stringify(this.state);
    const carried = JSON.parse(text) as Budget;
    if (!isDeepStrictEqual(carried, this.state))
      throw new Broken('the state is plain data', `what travels is ${text}`);
    const [here, there] = [this.state, carried].map((state) => {
      const of = { service: 'predictions', address: 'here' };
      const said = describe(snapshotOf(of, state, now, null), now);
      everySlotHasOneUser(said);
      return JSON.stringify({ said, decided: this.#choose(state, now) });
    });
    if (here !== there)
      throw new Broken('continue-as-new changes nothing', `${here} there became ${there}`);
    // `carried` has decided meanwhile.
    this.state = JSON.parse(text) as Budget;
  }
}

function everySlotHasOneUser({ credentials, use }: BudgetStatus): void {
  for (const { credential, limit, charged } of credentials) {
    if (limit === null) continue;
    const of = use.filter((line) => line.credential === credential);
    const sum = of.reduce((total, line) => total + line.charged, 0);
    if (sum !== charged)
      throw new Broken('every slot has one user', `${sum} of ${charged}: ${JSON.stringify(of)}`);
  }
}
