/** Random histories of a budget: each promise is checked after each event. `npm run nightly` plays millions. */
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideAhead } from '../../src/budget/ahead.ts';
import { decide } from '../../src/budget/budget.ts';
import { policyOf } from '../policy.ts';
import { ACCEPTED, PlayedBudget } from './a-budget.ts';
import { findBroken } from './histories.ts';

/** Of each world: a minute in all. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 6_000);
/** ms for each world: ten times the time on two busy cores. */
const PATIENCE_MS = 600_000;

test.each([
  // There are no other clients and the clock is right: what is expected is known to the slot.
  ['quiet', 'never exceeds a window, uses free slots at once, and serves campaigns in turn'],
  // As in the workflow: slots are granted shortly before they are free.
  ['ahead', 'never exceeds a window, does not call a blocked service, and starves no campaign'],
  // Other clients use the same windows: the service refuses and reports the remaining slots.
  ['shared', 'stays within its own share, and follows the counts that the service reports'],
  // A step forward cannot be distinguished from elapsed time; everything short of that is guaranteed.
  ['clocks', "is early by at most the clock's steps forward, and late by at most a window"],
] as const)(
  'a budget in the world "%s" %s',
  async (world, _) => {
    // Each run has other histories; a failure reports the seed.
    const seed = randomInt(2 ** 31);
    const broken = await findBroken({ world, histories: HISTORIES, seed });
    expect(broken, broken ?? '').toBeNull();
  },
  PATIENCE_MS,
);

interface Course {
  readonly limit: number;
  readonly windowMs: number;
  /** For each submission in turn: ms from its slot to its answer. */
  readonly tookMs: readonly number[];
}

const courses: fc.Arbitrary<Course> = fc.record({
  limit: fc.integer({ min: 1, max: 8 }),
  windowMs: fc.integer({ min: 100, max: 20_000 }),
  tookMs: fc.array(fc.nat(800), { minLength: 1, maxLength: 10 }),
});

/** When the slot of each job was used. */
function usedAt({ limit, windowMs, tookMs }: Course, choose: typeof decide): number[] {
  const budget = new PlayedBudget(limit);
  budget.allow(policyOf(limit, windowMs));
  budget.askFor('c', 24);
  const used: number[] = [];
  let flights: { readonly item: string; readonly closeAt: number }[] = [];
  let wakeAt: number | null = 0;
  for (let now = 0; flights.length > 0 || wakeAt !== null;) {
    const events = [...flights.map(({ closeAt }) => closeAt), wakeAt ?? Number.POSITIVE_INFINITY];
    now = Math.max(now, Math.min(...events));
    for (const { item, closeAt } of flights) if (closeAt <= now) budget.close(item, ACCEPTED, now);
    flights = flights.filter(({ closeAt }) => closeAt > now);
    const decision = choose(budget.state, now);
    for (const { request, notBefore } of decision.grants) {
      const ms = tookMs[used.length % tookMs.length] ?? 0;
      flights.push({ item: request.item, closeAt: notBefore + ms });
      used.push(notBefore);
    }
    ({ wakeAt } = decision);
    expect(wakeAt ?? Number.POSITIVE_INFINITY, 'the timer').toBeGreaterThan(now);
    expect(budget.status(now).credentials[0]?.windows[0]?.charged, 'shown').toBeLessThanOrEqual(
      limit,
    );
  }
  return used;
}

test('a slot that is granted ahead is used at the same time as without, and was granted before', () => {
  fc.assert(
    fc.property(courses, (course) => {
      const used = usedAt(course, decideAhead);
      expect(used).toHaveLength(24);
      expect(used).toEqual(usedAt(course, decide));
    }),
    { numRuns: 500 },
  );
  const budget = new PlayedBudget(1);
  budget.ask(['a', 'b']);
  expect(decideAhead(budget.state, 0).grants).toMatchObject([{ notBefore: 0 }]);
  budget.close('a', ACCEPTED, 50);
  const waits = { grants: [], wakeAt: 9_075, opensAt: 10_075 };
  expect(decideAhead(budget.state, 50)).toEqual(waits);
  const early = { notBefore: 10_075, request: { item: 'b' } };
  expect(decideAhead(budget.state, 9_075).grants).toMatchObject([early]);
});
