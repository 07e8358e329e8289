import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ceilingOf,
  cumulative,
  inWindow,
  mostInWindow,
  thinned,
} from '../../src/report-page/overview/window-curves.ts';

const times = fc
  .array(fc.nat(10_000), { minLength: 1, maxLength: 60 })
  .map((all) => all.sort((a, b) => a - b));

test('the jobs of the window are those accepted less than a window ago', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 3000 }), (all, windowMs) => {
      const counted = all.map((now) => all.filter((ms) => ms <= now && now < ms + windowMs).length);
      expect(mostInWindow(all, windowMs)).toBe(Math.max(...counted));
      expect(inWindow(all, windowMs).at(-1)?.[1]).toBe(counted.at(-1));
    }),
  );
});

test('who keeps to the budget stays below its ceiling', () => {
  const limit = 3;
  const kept = [0, 0, 10, 1000, 1000, 1010, 2005];
  const ceiling = ceilingOf(kept, { limit, windowMs: 1000 });
  for (const [ms, jobs] of cumulative(kept).slice(1)) {
    const [, most] = ceiling.filter(([from]) => from <= ms).at(-1) ?? [0, 0];
    expect(jobs).toBeLessThanOrEqual(most);
  }
  expect(ceiling.at(-1)).toEqual([2005, 9]);
});

test('thinning keeps the highest point and the last', () => {
  fc.assert(
    fc.property(times, (all) => {
      const points = inWindow(all, 500);
      const few = thinned(points, 10);
      const highest = (of: typeof points) => Math.max(...of.map(([, jobs]) => jobs));
      expect(few.length).toBeLessThanOrEqual(11);
      expect(highest(few)).toBe(highest(points));
      expect(few.at(-1)).toEqual(points.at(-1));
    }),
  );
});
