/**
 * Budgets that are terminated at random moments, once or many times in a row: each takes over what the memo of the one
 * before it says. Whatever the submissions of an ended run still do, no window is exceeded, and none stays full.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apply, decide, newBudget, type Budget } from '../../src/budget/budget.ts';
import type { Closing } from '../../src/budget/events.ts';
import { inherit } from '../../src/budget/inherit.ts';
import { snapshotOf, type BudgetSnapshot } from '../../src/budget/status.ts';
import { GUARD_MS } from '../../src/budget/window.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/longest-post.ts';
import { throughJson } from './budget-under-test.ts';
import { PATIENCE_MS, TERMINATED_EACH } from './how-many.ts';

const WINDOW_MS = 10_000;
const NAME = { service: 'predictions', address: 'here' };
const ACCEPTED: Closing = { type: 'accepted', rateLimit: null };
const UNSURE: Closing = { type: 'unsure' };
const DEFERRED: Closing = { type: 'deferred', scope: 'credential', delayMs: 0, message: 'later' };

/** When the service accepts a job, as a share of the time in which it may; null: never. */
type Acceptance = number | null;

type Step =
  | { readonly do: 'ask' }
  | { readonly do: 'pass'; readonly ms: number }
  | {
      readonly do: 'answer';
      readonly which: number;
      readonly as: 'accepted' | 'unsure' | 'unsure, accepted later' | 'deferred';
      readonly at: number;
    }
  | { readonly do: 'continue as new' }
  | { readonly do: 'terminate'; readonly fates: readonly Acceptance[]; readonly restMs: number };

const share = fc.double({ min: 0, max: 1, noNaN: true });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.oneof(fc.integer({ min: 1, max: 4_000 }), fc.integer({ min: 4_000, max: 80_000 })),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      which: fc.nat(5),
      as: fc.constantFrom('accepted', 'unsure', 'unsure, accepted later', 'deferred'),
      at: share,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('continue as new' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('terminate' as const),
      fates: fc.array(fc.option(share), { minLength: 6, maxLength: 6 }),
      restMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
    }),
  },
);

class Runs {
  readonly #limit: number;
  #state: Budget;
  /** What a starter would read now. It is written in the task that grants. */
  #memo: string;
  #now = 1_790_000_000_000;
  #asked = 0;
  #flights: { readonly item: string; readonly at: number }[] = [];
  /** When the service accepted a job. */
  readonly accepted: number[] = [];

  constructor(limit: number) {
    this.#limit = limit;
    this.#state = this.#configured();
    this.#memo = this.#write();
  }

  act(done: Step): void {
    switch (done.do) {
      case 'ask':
        return this.ask();
      case 'pass':
        this.#now += done.ms;
        return this.#decide();
      case 'answer':
        return this.#answer(done);
      case 'continue as new':
        this.#state = throughJson(this.#state);
        return this.#decide();
      case 'terminate':
        return this.#terminate(done);
    }
  }

  ask(): void {
    this.#asked += 1;
    const item = `row ${this.#asked}`;
    const job = { id: item, kind: 'sequence', generation: 0, store: '' };
    const request = {
      item,
      run: 'r',
      campaign: 'x',
      credential: 'c',
      attempt: 0,
      priority: 3,
      user: null,
      job,
    };
    apply(this.#state, { type: 'request', request }, this.#now);
    this.#decide();
  }

  get granted(): number {
    return this.#state.granted;
  }

  #configured(): Budget {
    const state = newBudget();
    const credentialLimit = { limit: this.#limit, windowMs: WINDOW_MS };
    apply(state, { type: 'configure', credential: 'c', credentialLimit }, this.#now);
    return state;
  }

  #write(): string {
    return JSON.stringify(snapshotOf(NAME, this.#state, this.#now, null));
  }

  #decide(): void {
    for (const { request } of decide(this.#state, this.#now).grants)
      this.#flights.push({ item: request.item, at: this.#now });
    this.#memo = this.#write();
  }

  #answer({ which, as, at }: Extract<Step, { do: 'answer' }>): void {
    const [flight] = this.#flights.splice(which % Math.max(1, this.#flights.length), 1);
    if (!flight) return;
    const { item } = flight;
    if (as === 'accepted' || as === 'unsure') this.#accept(at, flight.at, this.#now);
    if (as === 'unsure, accepted later')
      this.#accept(at, this.#now, this.#now + LATEST_ACCEPTANCE_MS);
    const closing = as === 'accepted' ? ACCEPTED : as === 'deferred' ? DEFERRED : UNSURE;
    apply(this.#state, { type: 'close', item, run: 'r', closing }, this.#now);
    this.#decide();
  }

  /** What is in progress is answered to nobody, and may be accepted long after its run has ended. */
  #terminate({ fates, restMs }: Extract<Step, { do: 'terminate' }>): void {
    const until = this.#now + LATEST_ACCEPTANCE_MS;
    this.#flights.forEach(({ at }, n) => this.#accept(fates[n % fates.length], at, until));
    this.#flights = [];
    this.#now += restMs;
    this.#state = this.#configured();
    inherit(this.#state, JSON.parse(this.#memo) as BudgetSnapshot, this.#now);
    this.#decide();
  }

  #accept(at: Acceptance | undefined, from: number, to: number): void {
    if (at !== null && at !== undefined) this.accepted.push(from + at * (to - from));
  }
}

/** Most jobs that were accepted within less than a window. */
function fullest(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + WINDOW_MS).length),
  );
}

test(
  'no window is exceeded, and none stays full',
  () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { size: 'max', minLength: 5, maxLength: 120 }),
        (limit, steps) => {
          const runs = new Runs(limit);
          for (const one of steps) runs.act(one);
          expect(fullest(runs.accepted)).toBeLessThanOrEqual(limit);
          // All charges end: two more runs, each begun when nothing is outstanding any more.
          runs.act({ do: 'terminate', fates: [null], restMs: 0 });
          runs.act({ do: 'pass', ms: LATEST_ACCEPTANCE_MS + 2 * WINDOW_MS });
          const before = runs.granted;
          runs.ask();
          expect(runs.granted).toBe(before + 1);
        },
      ),
      { numRuns: TERMINATED_EACH },
    );
  },
  PATIENCE_MS,
);

test('where nothing is known of the former run, the window counts as full', () => {
  const state = newBudget();
  const credentialLimit = { limit: 3, windowMs: WINDOW_MS };
  apply(state, { type: 'configure', credential: 'c', credentialLimit }, 0);
  inherit(state, null, 1_000);
  const job = { id: 'a', kind: 'sequence', generation: 0, store: '' };
  const waits = { item: 'a', campaign: 'x', credential: 'c', run: 'r', attempt: 0 };
  apply(state, { type: 'request', request: { ...waits, priority: 3, user: null, job } }, 1_000);
  const full = { grants: [], wakeAt: 1_000 + LATEST_ACCEPTANCE_MS + WINDOW_MS + GUARD_MS };
  expect(decide(state, 1_000)).toEqual(full);
});
