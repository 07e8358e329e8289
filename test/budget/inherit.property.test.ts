/**
 * Budgets that are terminated at random moments, once or many times in a row: each takes over what the memo of the one
 * before it says. Whatever the submissions of an ended run still do, no window is exceeded, and none stays full.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inherit, type BudgetSnapshot } from '../../src/budget/status.ts';
import { GUARD_MS, type Window } from '../../src/budget/policy.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/limits.ts';
import { policyOf } from '../policy.ts';
import { ACCEPTED, PlayedBudget, UNSURE, WINDOW_MS } from './a-budget.ts';
import { throughJson } from './budget-under-test.ts';

const CLOSINGS = {
  accepted: ACCEPTED,
  unsure: UNSURE,
  'unsure, accepted later': UNSURE,
  deferred: { type: 'deferred', scope: 'all', delayMs: 0, message: 'later' },
} as const;

const DOINGS = { ask: 4, pass: 4, answer: 6, 'continue as new': 1, terminate: 2 };
const doing = fc.oneof(
  ...Object.entries(DOINGS).map(([name, weight]) => ({
    weight,
    arbitrary: fc.constant(name as keyof typeof DOINGS),
  })),
);
const share = fc.double({ min: 0, max: 1, noNaN: true });

interface Step {
  readonly do: keyof typeof DOINGS;
  readonly ms: number;
  readonly which: number;
  readonly as: keyof typeof CLOSINGS;
  /** When the service accepts the job, as a share of the time in which it may. */
  readonly at: number;
  /** Before the next run. */
  readonly restMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  do: doing,
  ms: fc.oneof(fc.integer({ min: 1, max: 4_000 }), fc.integer({ min: 4_000, max: 80_000 })),
  which: fc.nat(5),
  as: fc.constantFrom(...(Object.keys(CLOSINGS) as Step['as'][])),
  at: share,
  restMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
});

class Runs {
  readonly windows: readonly Window[];
  /** The same of those in progress when a run is terminated; null: never. */
  readonly #fates: readonly (number | null)[];
  #budget: PlayedBudget;
  /** What a starter would read now. It is written in the task that grants. */
  #memo: string;
  #now = 1_790_000_000_000;
  #asked = 0;
  #cutOff = 0;
  #flights: { readonly item: string; readonly at: number }[] = [];
  /** When the service accepted a job. */
  readonly accepted: number[] = [];

  constructor(limit: number, fates: readonly (number | null)[]) {
    this.windows = [
      { limit, windowMs: WINDOW_MS },
      { limit: limit + 2, windowMs: 3 * WINDOW_MS },
    ];
    this.#fates = fates;
    this.#budget = this.#begin();
    this.#memo = this.#write();
  }

  act(given: Step): void {
    if (given.do === 'ask') this.#budget.ask(`row ${(this.#asked += 1)}`, {}, this.#now);
    if (given.do === 'pass') this.#now += given.ms;
    if (given.do === 'answer') this.#answer(given);
    if (given.do === 'continue as new') this.#budget.state = throughJson(this.#budget.state);
    if (given.do === 'terminate') this.#terminate(given);
    for (const item of this.#budget.sent(this.#now)) this.#flights.push({ item, at: this.#now });
    this.#memo = this.#write();
  }

  get granted(): number {
    return this.#budget.state.granted;
  }

  #begin(): PlayedBudget {
    const budget = new PlayedBudget(null);
    budget.allow({ ...policyOf(null, 0), windows: this.windows });
    return budget;
  }

  #write(): string {
    return JSON.stringify(this.#budget.snapshot(this.#now));
  }

  #answer({ which, as, at }: Step): void {
    const [flight] = this.#flights.splice(which % Math.max(1, this.#flights.length), 1);
    if (!flight) return;
    if (as === 'accepted' || as === 'unsure') this.#accept(at, flight.at, this.#now);
    if (as === 'unsure, accepted later')
      this.#accept(at, this.#now, this.#now + LATEST_ACCEPTANCE_MS);
    this.#budget.close(flight.item, CLOSINGS[as], this.#now);
  }

  /** What is in progress is answered to nobody, and may be accepted long after its run has ended. */
  #terminate({ restMs }: Step): void {
    const until = this.#now + LATEST_ACCEPTANCE_MS;
    for (const { at } of this.#flights)
      this.#accept(this.#fates[(this.#cutOff += 1) % this.#fates.length], at, until);
    this.#flights = [];
    this.#now += restMs;
    this.#budget = this.#begin();
    inherit(this.#budget.state, JSON.parse(this.#memo) as BudgetSnapshot, this.#now);
  }

  #accept(at: number | null | undefined, from: number, to: number): void {
    if (at !== null && at !== undefined) this.accepted.push(from + at * (to - from));
  }
}

/** Most jobs that were accepted within less than a window. */
function fullest(times: readonly number[], windowMs: number): number {
  const counts = times.map(
    (from) => times.filter((at) => at >= from && at < from + windowMs).length,
  );
  return Math.max(0, ...counts);
}

test('no window is exceeded, and none stays full', () => {
  const steps = fc.array(step, { size: 'max', minLength: 5, maxLength: 120 });
  const fates = fc.array(fc.option(share), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fates, steps, (limit, ends, history) => {
      const runs = new Runs(limit, ends);
      for (const one of history) runs.act(one);
      for (const window of runs.windows)
        expect(fullest(runs.accepted, window.windowMs)).toBeLessThanOrEqual(window.limit);
      // All charges end, when nothing is outstanding any more.
      const last = { which: 0, as: 'accepted', at: 0, restMs: 0 } as const;
      runs.act({ ...last, do: 'terminate', ms: 0 });
      runs.act({ ...last, do: 'pass', ms: LATEST_ACCEPTANCE_MS + 4 * WINDOW_MS });
      const before = runs.granted;
      runs.act({ ...last, do: 'ask', ms: 0 });
      expect(runs.granted).toBe(before + 1);
    }),
    { numRuns: Number(process.env['HISTORIES'] ?? 1_000) },
  );
});

test('what is not written into the memo is unknown to the next run', () => {
  const former = new PlayedBudget(3);
  former.ask('a');
  former.accepted(1_000);
  const written = former.snapshot(WINDOW_MS * 2);
  expect(written.closes).toEqual([]);
  const budget = new PlayedBudget(3);
  inherit(budget.state, written, WINDOW_MS * 2);
  budget.allow({ ...policyOf(3, 4 * WINDOW_MS) });
  budget.ask('b', {}, WINDOW_MS * 2);
  expect(budget.nextAt(WINDOW_MS * 2)).toBe(1_000 + 4 * WINDOW_MS + GUARD_MS);
});

test('where nothing is known of the former run, the window counts as full', () => {
  const budget = new PlayedBudget(3);
  inherit(budget.state, null, 1_000);
  budget.ask('a', {}, 1_000);
  expect(budget.nextAt(1_000)).toBe(1_000 + LATEST_ACCEPTANCE_MS + WINDOW_MS + GUARD_MS);
});
