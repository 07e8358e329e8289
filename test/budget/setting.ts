/** The initial conditions of a history: limits, and how the service answers each submission. */
import fc from 'fast-check';
import type { Limit } from '../../src/budget/budget.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/longest-post.ts';

/**
 * `quiet`: no other clients of our tokens or our address, and the clock is right, so that everything is known exactly.
 * `ahead`: the same, and slots are granted shortly before they are free, as in the workflow. `shared`: with other
 * clients. `clocks`: our clock is set forward and back.
 */
export const WORLDS = ['quiet', 'ahead', 'shared', 'clocks'] as const;
export type WorldKind = (typeof WORLDS)[number];

/** The outcome of a submission. The service stamps it `stampAfterMs` after it was sent. */
export interface Fate {
  readonly outcome:
    | 'accepted'
    | 'accepted, answer lost'
    | 'unsure'
    | 'unsure, service unwell'
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
  readonly limits: Record<string, Limit>;
  /** Of the service alone: the budget does not know it. */
  readonly addressLimit: Limit;
  readonly maxOutstanding: number;
  /** Of the submissions in their order, repeated. */
  readonly fates: readonly Fate[];
}

export const CREDENTIALS = ['alice', 'bob'] as const;
export const CAMPAIGNS = ['day', 'night', 'weekend'] as const;

const windowMs = fc.constantFrom(1_000, 250, 400, 2_500);

export const limit: fc.Arbitrary<Limit> = fc.record({
  limit: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 1, max: 5 }) }, fc.constant(null)),
  windowMs,
});

const addressLimit: fc.Arbitrary<Limit> = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constant(null)),
  windowMs,
});

const fate: fc.Arbitrary<Fate> = fc.record({
  outcome: fc.constantFrom<Fate['outcome']>(
    ...Array<'accepted'>(4).fill('accepted'),
    'refused',
    'unsure',
    'unsure, service unwell',
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
    limits: fc.record({ alice: limit, bob: limit }),
    addressLimit: world === 'shared' ? addressLimit : fc.constant({ limit: null, windowMs: 0 }),
    maxOutstanding: fc.constantFrom(100, 1, 2, 4),
    fates: fc.array(fate, { minLength: 1, maxLength: 8 }),
  });
}
