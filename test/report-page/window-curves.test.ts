import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Span } from '../../src/report-page/data.ts';
import {
  ceilingOf,
  certainlyIn,
  cumulative,
  highest,
  possiblyIn,
  thinned,
} from '../../src/report-page/overview/window-curves.ts';

/** When the service accepted a job, how long before that it was sent, and how long after that it was answered. */
const jobs = fc
  .array(fc.tuple(fc.nat(10_000), fc.nat(900), fc.nat(2_500)), { minLength: 1, maxLength: 60 })
  .map((all) =>
    all.map(([at, before, after]) => ({ at, span: [at - before, at + after] as Span })),
  );
const windows = fc.integer({ min: 1, max: 3000 });

const spansOf = (all: readonly { readonly span: Span }[]): Span[] =>
  all.map(({ span }) => span).sort((a, b) => a[1] - b[1]);
const exactly = (times: readonly number[]): Span[] => times.map((ms) => [ms, ms]);

/** The most in any window, from the times themselves. */
function trueMost(times: readonly number[], windowMs: number): number {
  return Math.max(
    ...times.map((now) => times.filter((ms) => ms <= now && now < ms + windowMs).length),
  );
}

test('the true number in the fullest window lies between the certain and the possible count', () => {
  fc.assert(
    fc.property(jobs, windows, (all, windowMs) => {
      const spans = spansOf(all);
      const most = trueMost(
        all.map(({ at }) => at),
        windowMs,
      );
      expect(highest(certainlyIn(spans, windowMs))).toBeLessThanOrEqual(most);
      expect(highest(possiblyIn(spans, windowMs))).toBeGreaterThanOrEqual(most);
    }),
  );
});

test('both are the true number if the times are exact', () => {
  fc.assert(
    fc.property(jobs, windows, (all, windowMs) => {
      const times = all.map(({ at }) => at).sort((a, b) => a - b);
      const most = trueMost(times, windowMs);
      expect(highest(certainlyIn(exactly(times), windowMs))).toBe(most);
      expect(highest(possiblyIn(exactly(times), windowMs))).toBe(most);
    }),
  );
});

test('a client that uses a slot a window after its previous answer never exceeds its limit', () => {
  const slots = fc.array(fc.array(fc.tuple(fc.nat(500), fc.nat(2_500)), { maxLength: 8 }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(slots, windows, (all, windowMs) => {
      const spans = all.flatMap((posts) => {
        let free = 0;
        return posts.map(([idle, took]): Span => {
          const sent = free + idle;
          free = sent + took + windowMs;
          return [sent, sent + took];
        });
      });
      spans.sort((a, b) => a[1] - b[1]);
      expect(highest(possiblyIn(spans, windowMs))).toBeLessThanOrEqual(all.length);
    }),
  );
});

test('a client within the budget stays below its limit', () => {
  const limit = 3;
  const kept = exactly([0, 0, 10, 1000, 1000, 1010, 2005]);
  const ceiling = ceilingOf(kept, { limit, windowMs: 1000 });
  for (const [ms, jobs] of cumulative(kept).slice(1)) {
    const [, most] = ceiling.filter(([from]) => from <= ms).at(-1) ?? [0, 0];
    expect(jobs).toBeLessThanOrEqual(most);
  }
  expect(ceiling.at(-1)).toEqual([2005, 9]);
});

test('thinning keeps the highest point and the last', () => {
  fc.assert(
    fc.property(jobs, (all) => {
      const points = possiblyIn(spansOf(all), 500);
      const few = thinned(points, 10);
      expect(few.length).toBeLessThanOrEqual(11);
      expect(highest(few)).toBe(highest(points));
      expect(few.at(-1)).toEqual(points.at(-1));
    }),
  );
});
