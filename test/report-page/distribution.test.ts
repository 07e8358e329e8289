import fc from 'fast-check';
import { expect, test } from 'vitest';
import { binned, distributionOf } from '../../src/report-page/overview/distribution.ts';

const placed = (values: readonly number[]) => values.map((value, row) => ({ row, value }));

test('an empty list has no distribution', () => {
  expect(distributionOf([])).toBeNull();
});

test('computes quartiles, and outliers beyond 1.5 times their distance', () => {
  const found = distributionOf(placed([5, 1, 2, 3, 4, 6, 7, 8, 40, -30]));
  expect(found).toMatchObject({ median: 4.5, quartiles: [2.25, 6.75] });
  expect(found?.outliers.map(({ value }) => value)).toEqual([40, -30]);
});

test('few values have no outliers', () => {
  expect(distributionOf(placed([1, 1, 1, 1, 1, 1, 9]))?.outliers).toEqual([]);
});

test('every value is in one bin', () => {
  const numbers = fc.oneof(
    fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 1 }),
    fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 }),
  );
  fc.assert(
    fc.property(numbers, (values) => {
      const distribution = distributionOf(placed(values));
      if (distribution === null) throw new Error('no values');
      const bins = binned(distribution);
      expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
      expect(bins.length).toBeLessThanOrEqual(24);
      expect(bins[0]?.from).toBeLessThanOrEqual(Math.min(...values));
      expect(bins.at(-1)?.to).toBeGreaterThanOrEqual(Math.max(...values) - 1e-6);
    }),
  );
});

test('few values get few bins, many get more', () => {
  const bins = (count: number): number =>
    binned({ values: placed(Array.from({ length: count }, (_, place) => place / 7)) }).length;
  expect([4, 18, 100, 5_000].map(bins)).toEqual([6, 8, 20, 24]);
});
