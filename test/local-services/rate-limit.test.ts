/** The arithmetic of the services' rolling window. */
import { describe, expect, test } from 'vitest';
import { freeingRank, judge, windowStart } from '../../src/local-services/rate-limit.ts';

const LIMIT = { limit: 3, windowMs: 10_000 };

describe('judge', () => {
  test('accepts a job while the window contains fewer than the limit', () => {
    const verdict = judge(LIMIT, { accepted: 2, freeing: 1000 }, 4000);
    expect(verdict).toEqual({ allowed: true, limit: 3, remaining: 1, resetAfterSeconds: 7 });
  });

  test('refuses at the limit and rounds the wait up', () => {
    const verdict = judge(LIMIT, { accepted: 3, freeing: 1001 }, 10_000);
    expect(verdict).toEqual({ allowed: false, limit: 3, remaining: 0, resetAfterSeconds: 2 });
  });

  test('with limit 0 accepts every job', () => {
    const none = { limit: 0, windowMs: 10_000 };
    expect(judge(none, { accepted: 1000, freeing: 0 }, 1)).toMatchObject({ allowed: true });
  });
});

describe('windowStart and freeingRank', () => {
  test('a stamp leaves the window exactly one window after it was added', () => {
    expect(windowStart(LIMIT, 11_000)).toBe(1000);
  });

  test('the oldest stamp frees the next slot, or a later stamp if the limit was lowered', () => {
    expect(freeingRank(LIMIT, 2)).toBe(0);
    expect(freeingRank(LIMIT, 3)).toBe(0);
    expect(freeingRank(LIMIT, 5)).toBe(2);
  });
});
