/** The initial conditions of a history: limits, and how the service answers each submission. */
import fc from 'fast-check';
import type { Policy, Window } from '../../src/budget/policy.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/limits.ts';

/**
 * `quiet`: no other clients of our tokens or our address, and the clock is right, so that everything is known exactly.
 * `old`: the same, and the budget decides with old readings of the clock, and ahead, as in the workflow. `shared`: with other
 * clients. `clocks`: our clock is set forward (it never goes back: workflows/budget-clock.ts).
 */
export const WORLDS = ['quiet', 'old', 'shared', 'clocks'] as const;
export type WorldKind = (typeof WORLDS)[number];

/** The outcome of a submission. The service stamps it `stampAfterMs` after it was sent. */
export interface Fate {
  readonly outcome:
    | 'accepted'
    | 'accepted, answer lost'
    | 'unsure'
    | 'unsure, service failed'
    | 'refused'
    | 'rate-limited'
    | 'unavailable'
    | 'unreachable';
  readonly stampAfterMs: number;
  readonly answerAfterMs: number;
  /** The budget takes the answer in so much later, and knows when it was complete, or a time in between. */
  readonly takenInAfterMs: number;
  readonly chargedAfterMs: number;
  /** Of `unsure`: the service accepts it so much later than its end; null: never. */
  readonly lateMs: number | null;
  /** The answer says how many slots remain, or with a 429 when there will be one. */
  readonly header: boolean;
  /** The delay that the service asks for; null: none. */
  readonly retryAfterMs: number | null;
}

export const GOOD: Fate = {
  outcome: 'accepted',
  stampAfterMs: 1,
  answerAfterMs: 1,
  takenInAfterMs: 0,
  chargedAfterMs: 0,
  lateMs: null,
  header: true,
  retryAfterMs: null,
};

export interface Setting {
  readonly world: WorldKind;
  readonly policy: Policy;
  /** Of the service alone: the budget does not know it. */
  readonly addressWindows: readonly Window[];
  readonly maxOutstanding: number;
  /** How long a reading of the clock takes (ms), in the world `old`. */
  readonly readingMs: number;
  /** Of the submissions in their order, repeated. */
  readonly fates: readonly Fate[];
}

export const CAMPAIGNS = ['day', 'night', 'weekend'] as const;

const windowMs = fc.constantFrom(1_000, 250, 400, 2_500);

const windows = (most: number, limit: number): fc.Arbitrary<readonly Window[]> =>
  fc.array(
    fc.record({ limit: fc.integer({ min: 1, max: limit }), windowMs }, { noNullPrototype: true }),
    { maxLength: most },
  );

export const policy: fc.Arbitrary<Policy> = fc
  .oneof(windows(1, 5), windows(3, 5))
  .map((of) => ({ windows: of, maxOpen: null, counts: 'accepted' }));

const settlement: fc.Arbitrary<Fate> = fc.record({
  outcome: fc.constantFrom<Fate['outcome']>(
    ...Array<'accepted'>(4).fill('accepted'),
    'refused',
    'unsure',
    'unsure, service failed',
    'accepted, answer lost',
    'rate-limited',
    'unavailable',
    'unreachable',
  ),
  stampAfterMs: fc.nat(300),
  answerAfterMs: fc.nat(300),
  takenInAfterMs: fc.constantFrom(0, 0, 40, 400),
  chargedAfterMs: fc.constantFrom(0, 20, 500),
  lateMs: fc.oneof(fc.constant(null), fc.nat(3_000), fc.nat(LATEST_ACCEPTANCE_MS)),
  header: fc.boolean(),
  retryAfterMs: fc.constantFrom(null, 0, 300, 3_000),
});

export function settings(world: WorldKind): fc.Arbitrary<Setting> {
  return fc.record({
    world: fc.constant(world),
    policy,
    addressWindows: world === 'shared' ? windows(1, 7) : fc.constant([]),
    maxOutstanding: fc.constantFrom(100, 1, 2, 4),
    readingMs: fc.constantFrom(0, 10, 80, 700),
    fates: fc.array(settlement, { minLength: 1, maxLength: 8 }),
  });
}
