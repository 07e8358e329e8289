/** The charges of large windows, as a budget writes and carries them: small, and never free too early. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apply, newBudget, type Budget } from '../../src/budget/budget.ts';
import {
  packSnapshot,
  packState,
  unpackSnapshot,
  unpackState,
  type CarriedBudget,
  type WrittenBudget,
} from '../../src/budget/packed.ts';
import { describe, snapshotOf, type BudgetStatus } from '../../src/budget/status.ts';

const HOUR = 3_600_000;
/** A five-hundredth of the window. */
const STEP = 7_200;
const NOW = 1_790_000_000_000;
const CAMPAIGNS = ['night', 'desk', 'third'];

/** A budget with these charges (ms before now), whose campaigns took turns. */
function charged(ages: readonly number[]): Budget {
  const state = newBudget();
  const credentialLimit = { limit: 1_000_000, windowMs: HOUR };
  const addressLimit = { limit: null, windowMs: 0 };
  apply(state, { type: 'configure', credential: 'k', credentialLimit, addressLimit }, NOW - HOUR);
  const closes = ages.map((age) => NOW - age).sort((a, b) => a - b);
  const { k } = state.credentials;
  if (!k) throw new Error('no credential');
  k.window.closes = closes;
  k.uses = Object.fromEntries(
    CAMPAIGNS.map((campaign, n) => [
      campaign,
      { standing: { weight: 1 }, closes: closes.filter((_, i) => i % CAMPAIGNS.length === n) },
    ]),
  );
  return state;
}

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function carriedOver(state: Budget): Budget {
  return unpackState(throughJson<CarriedBudget>(packState(state)));
}

const NAME = { service: 'predictions', address: 'here' };

function written(state: Budget): WrittenBudget {
  return throughJson(packSnapshot(snapshotOf(NAME, state, NOW, null)));
}

function use({ use }: BudgetStatus): Record<string, number> {
  return Object.fromEntries(use.map(({ campaign, charged }) => [campaign ?? '', charged]));
}

const ages = (size: { minLength: number; maxLength: number }) =>
  fc.array(fc.integer({ min: 0, max: HOUR }), { size: 'max', ...size });

test('up to 1,000 charges are kept one by one', () => {
  fc.assert(
    fc.property(ages({ minLength: 0, maxLength: 1_000 }), (list) => {
      const state = charged(list);
      expect(carriedOver(state)).toEqual(state);
      const snapshot = snapshotOf(NAME, state, NOW, null);
      expect(unpackSnapshot(written(state))).toEqual(snapshot);
    }),
    { numRuns: 20 },
  );
});

test('more charges are freed at most a five-hundredth of the window late, and never early', () => {
  fc.assert(
    fc.property(ages({ minLength: 1_001, maxLength: 3_000 }), (list) => {
      const state = charged(list);
      const before = state.credentials['k']?.window.closes ?? [];
      for (const after of [
        carriedOver(state).credentials['k']?.window.closes ?? [],
        unpackSnapshot(written(state)).credentials[0]?.closes ?? [],
      ]) {
        expect(after).toHaveLength(before.length);
        const late = after.map((close, i) => close - (before[i] ?? 0));
        expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...late)).toBeLessThan(STEP);
      }
    }),
    { numRuns: 20 },
  );
});

test('each campaign keeps its number of charges', () => {
  const state = charged(Array.from({ length: 3_000 }, (_, i) => i * 1_000));
  const expected = { night: 1_000, desk: 1_000, third: 1_000 };
  expect(use(describe(snapshotOf(NAME, state, NOW, null), NOW))).toEqual(expected);
  expect(use(describe(unpackSnapshot(written(state)), NOW))).toEqual(expected);
  const later = snapshotOf(NAME, carriedOver(state), NOW, null);
  expect(use(describe(later, NOW))).toEqual(expected);
});

test('200,000 charges are written in less than 100 kB', () => {
  const state = charged(Array.from({ length: 200_000 }, (_, i) => i * 18));
  expect(JSON.stringify(state).length).toBeGreaterThan(2_000_000);
  expect(JSON.stringify(packState(state)).length).toBeLessThan(100_000);
  expect(JSON.stringify(written(state)).length).toBeLessThan(100_000);
});
