/** When a plan ends: its jobs, the free slots and those who wait. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastSubmissionIn } from '../../src/budget/forecast.ts';
import type { BudgetStatus, WindowStatus } from '../../src/budget/status.ts';
import { GUARD_MS } from '../../src/budget/window.ts';
import type { Kind } from '../../src/domain/item.ts';
import { kindOf } from '../../src/kinds/registry.ts';
import { forecast, freshWindow, supplyOf, type Supply } from '../../src/plan/forecast.ts';
import { budget as budgetOf, NOW } from '../cli/live/scenes.ts';

const HOUR = 3_600_000;
const ROUND = HOUR + GUARD_MS;

const jobs = (some: Partial<Record<Kind, number>>): Record<Kind, number> => ({
  molecule: 0,
  sequence: 0,
  alignment: 0,
  shifts: 0,
  ...some,
});
const fresh = (limit: number | null): WindowStatus => freshWindow({ limit, windowMs: HOUR });

/** This many charged a minute ago. */
function used(limit: number, charged: number): WindowStatus {
  const releases = Array.from({ length: charged }, () => NOW - 60_000 + ROUND);
  return { ...fresh(limit), charged, free: limit - charged, releases };
}

const predictions = (window: WindowStatus, ...waiting: number[]): Supply => ({
  service: 'predictions',
  window,
  blockedUntil: null,
  waiting,
});

/** The end of these sequences without the run time of the last one. */
function lastSubmission(count: number, supply: Supply): number {
  const [only] = forecast(jobs({ sequence: count }), [supply], NOW);
  return (only?.endsAt ?? Number.NaN) - kindOf('sequence').estimate.seconds * 1_000;
}

describe('the last submission', () => {
  test('waits for turns of other campaigns, but at most for one turn per own job', () => {
    expect(lastSubmission(60, predictions(fresh(100), 40))).toBe(NOW);
    expect(lastSubmission(60, predictions(fresh(100), 41))).toBe(NOW + ROUND);
    expect(lastSubmission(50, predictions(fresh(100), 5_000))).toBe(NOW);
    expect(lastSubmission(50, predictions(fresh(100), 5_000, 1)), 'each has its turns').toBe(
      NOW + ROUND,
    );
  });

  test('is infinite with a budget of zero', () => {
    expect(lastSubmission(1, predictions(fresh(0)))).toBe(Number.POSITIVE_INFINITY);
  });

  test('is not earlier with more jobs, more charges, or a smaller limit', () => {
    const small = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(small, small, fc.nat({ max: 40 }), (count, limit, charged) => {
        const now = Math.min(charged, limit - 1);
        const at = (n: number, l: number, c: number) => lastSubmission(n, predictions(used(l, c)));
        const end = at(count, limit, now);
        expect(end).toBe(lastSubmissionIn(used(limit, now), count, NOW));
        expect(at(count + 1, limit, now)).toBeGreaterThanOrEqual(end);
        expect(at(count, limit, now + 1)).toBeGreaterThanOrEqual(end);
        expect(at(count, limit + 1, now)).toBeLessThanOrEqual(end);
      }),
    );
  });
});

describe('the forecast', () => {
  test('includes each service with jobs, and no other', () => {
    const all = forecast(
      jobs({ molecule: 3, shifts: 2, alignment: 1 }),
      [predictions(fresh(100))],
      NOW,
    );
    expect(all.map(({ service, jobs: n, free }) => [service, n, free])).toEqual([
      ['molecules', 3, null],
      ['predictions', 3, 100],
    ]);
    expect(forecast(jobs({}), [predictions(fresh(100))], NOW)).toEqual([]);
  });

  test('ends one job of average length after the last submission', () => {
    const [only] = forecast(jobs({ sequence: 1, shifts: 3 }), [predictions(fresh(2))], NOW);
    const mean = (kindOf('sequence').estimate.seconds + 3 * kindOf('shifts').estimate.seconds) / 4;
    expect(only?.endsAt).toBeCloseTo(NOW + ROUND + mean * 1_000, -1);
  });
});

test('a budget contributes its credential; other campaigns that are not paused count as waiting', () => {
  const plain = budgetOf('predictions', fresh(100), 50, 0);
  const lanes = [
    {},
    { campaign: 'day', items: 5 },
    { campaign: 'noon', items: 3 },
    { campaign: 'x', items: 9, credential: 'theirs' },
    { campaign: 'y', items: 8, paused: true },
  ];
  const budget: BudgetStatus = {
    ...plain,
    addressBlock: { blockedUntil: NOW + 5_000, blockedBecause: 'HTTP 503' },
    credentials: [...plain.credentials, { ...fresh(7), credential: 'theirs' }],
    waiting: lanes.flatMap((lane) => plain.waiting.map((night) => ({ ...night, ...lane }))),
  };
  const { window, blockedUntil, waiting } = supplyOf(budget, 'ours', 'night');
  expect(window?.limit).toBe(100);
  expect(blockedUntil).toBe(NOW + 5_000);
  expect(waiting).toEqual([5, 3]);
});
