/** How `node bench/peers/main.ts` counts a run: its figures compare hundredfold with other programs. */
import { describe, expect, test } from 'vitest';
import type { Arrival } from '../../bench/command.ts';
import { countRun, nextAccepted } from '../../bench/peers/figures.ts';
import { lowerBound } from '../../bench/window.ts';

const CASE = { items: 100, limit: 20, windowSeconds: 10, jobSeconds: 1.5 };

const accepted = (at: number, name: string | null): Arrival => ({
  at,
  status: 200,
  accepted: 1,
  name,
});
const refused = (at: number, status: number, name: string): Arrival => ({
  at,
  status,
  accepted: 0,
  name,
});

describe('the lower bound', () => {
  test.each([
    [100, 41.5],
    [101, 51.5],
    [20, 1.5],
    [1, 1.5],
  ])('of %i items is %f s', (items, seconds) => {
    expect(lowerBound({ ...CASE, items })).toBe(seconds);
  });
});

describe('a run, counted from the journal of the service', () => {
  test('has refused, repeated and duplicate submissions, lost items and a makespan', () => {
    const arrivals = [
      refused(500, 429, 'a'),
      accepted(1_000, 'a'),
      accepted(1_100, 'b'),
      refused(1_200, 409, 'a'),
      accepted(4_000, 'a again'),
    ];
    const done = [
      { id: 'a', at: 3_000 },
      { id: 'b', at: 5_500 },
    ];
    expect(countRun(arrivals, done, 3)).toEqual({
      refused: 1,
      repeated: 1,
      duplicates: 0,
      lost: 1,
      makespan: 4.5,
    });
    expect(countRun(arrivals, done, 2).duplicates).toBe(1);
  });

  test('counts jobs without a name', () => {
    const arrivals = [accepted(1, null), accepted(2, null), accepted(3, null)];
    expect(countRun(arrivals, [{ id: 'a', at: 9 }], 2).duplicates).toBe(1);
  });

  test('counts an item with two files once', () => {
    const done = [
      { id: 'a', at: 1 },
      { id: 'a', at: 2 },
    ];
    expect(countRun([accepted(0, 'a')], done, 2).lost).toBe(1);
  });

  test('continues after a kill with the next accepted job', () => {
    const arrivals = [accepted(1_000, 'a'), refused(3_000, 429, 'b'), accepted(5_000, 'b')];
    expect(nextAccepted(arrivals, 2_000)).toBe(3);
    expect(nextAccepted(arrivals, 6_000)).toBe(Infinity);
  });
});
