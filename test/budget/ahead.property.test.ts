/** Slots that are granted ahead of time: sent when `decide` alone would have, and never too many for the service. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideAhead } from '../../src/budget/ahead.ts';
import { apply, decide, newBudget, type Decision, type Grant } from '../../src/budget/budget.ts';
import type { Budget } from '../../src/budget/budget.ts';
import { describe, snapshotOf } from '../../src/budget/status.ts';
import { ServiceModel } from './service-model.ts';

const START = 1_700_000_000_000;
const JOBS = 24;

interface Course {
  readonly limit: number;
  readonly windowMs: number;
  /** For each submission in turn: ms from its slot to its stamp, and from there to its answer. */
  readonly ways: readonly (readonly [number, number])[];
}

const courses: fc.Arbitrary<Course> = fc.record({
  limit: fc.integer({ min: 1, max: 8 }),
  windowMs: fc.integer({ min: 100, max: 20_000 }),
  ways: fc.array(fc.tuple(fc.nat(400), fc.nat(400)), { minLength: 1, maxLength: 10 }),
});

/** When each job's slot was used, in ms from the start, and the number of refusals by the service. */
function play(course: Course, choose: (state: Budget, now: number) => Decision) {
  const { limit, windowMs, ways } = course;
  const state = newBudget();
  const service = new ServiceModel(limit, windowMs);
  const flights: { grant: Grant; stampAt: number; closeAt: number; stamped: boolean }[] = [];
  const used: number[] = [];
  let [now, wakeAt, refused] = [START, START as number | null, 0];
  const credentialLimit = { limit, windowMs };
  apply(state, { type: 'configure', credential: 'c', credentialLimit }, now);
  for (let n = 0; n < JOBS; n += 1) apply(state, { type: 'request', request: request(n) }, now);
  while (flights.length > 0 || used.length < JOBS) {
    const events = flights.flatMap(({ stampAt, closeAt, stamped }) => [
      stamped ? closeAt : stampAt,
    ]);
    now = Math.max(now, Math.min(...events, wakeAt ?? Number.POSITIVE_INFINITY));
    for (const flight of flights.filter(({ stampAt, stamped }) => !stamped && stampAt <= now)) {
      flight.stamped = true;
      if (!service.hasRoomAt(flight.stampAt)) refused += 1;
      service.accept(flight.stampAt, true);
    }
    for (const flight of flights.filter(({ closeAt, stamped }) => stamped && closeAt <= now)) {
      flights.splice(flights.indexOf(flight), 1);
      const closing = { type: 'accepted', rateLimit: null } as const;
      apply(state, { type: 'close', item: flight.grant.request.item, run: 'r', closing }, now);
    }
    const decision = choose(state, now);
    for (const grant of decision.grants) {
      const [out, back] = ways[used.length % ways.length] as readonly [number, number];
      used.push(grant.notBefore - START);
      const stampAt = grant.notBefore + out;
      flights.push({ grant, stampAt, closeAt: stampAt + back, stamped: false });
    }
    ({ wakeAt } = decision);
    if (wakeAt !== null && wakeAt <= now) throw new Error('the timer lies behind');
    const { charged } =
      describe(snapshotOf({ service: 's', address: 'a' }, state, now, null), now).credentials[0] ??
      {};
    if ((charged ?? 0) > limit)
      throw new Error(`${String(charged)} of ${limit} are shown as charged`);
  }
  return { used, refused };
}

function request(n: number) {
  const job = { id: `i${n}`, kind: 'sequence', generation: 0, store: '' };
  return {
    item: `i${n}`,
    campaign: 'c',
    credential: 'c',
    attempt: 0,
    run: 'r',
    priority: 3,
    user: null,
    job,
  };
}

test('every slot is used at the same time as without granting ahead, and the service refuses nothing', () => {
  fc.assert(
    fc.property(courses, (course) => {
      const ahead = play(course, decideAhead);
      expect(ahead.refused, 'refused by the service').toBe(0);
      expect(ahead.used).toEqual(play(course, decide).used);
    }),
    { numRuns: 1_000 },
  );
});

test('slots are granted before they are free', () => {
  const state = newBudget();
  const credentialLimit = { limit: 1, windowMs: 10_000 };
  apply(state, { type: 'configure', credential: 'c', credentialLimit }, 0);
  for (const n of [0, 1]) apply(state, { type: 'request', request: request(n) }, 0);
  expect(decideAhead(state, 0).grants.map(({ notBefore }) => notBefore)).toEqual([0]);
  apply(
    state,
    { type: 'close', item: 'i0', run: 'r', closing: { type: 'accepted', rateLimit: null } },
    50,
  );
  expect(decideAhead(state, 50)).toEqual({
    grants: [],
    wakeAt: 9_075,
    opensAt: 10_075,
  });
  const [early] = decideAhead(state, 9_075).grants;
  expect(early).toMatchObject({ notBefore: 10_075, request: { item: 'i1' } });
});
