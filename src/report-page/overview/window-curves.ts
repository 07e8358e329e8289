/**
 * Curves of the accepted jobs against a rolling window. The exact time of an acceptance is unknown, only a span
 * (`Span`, by their ends, ascending), so there is one curve of the certain jobs, and one of the possible ones.
 */
import type { Span } from '../data.ts';

/** A time, and the number from then on. */
export type Point = readonly [ms: number, jobs: number];

/** All jobs certainly accepted so far. */
export function cumulative(spans: readonly Span[]): readonly Point[] {
  return [[0, 0], ...spans.map(([, to], index) => [to, index + 1] as const)];
}

/** Jobs certainly accepted in the window that ends now. A job leaves it one window after its acceptance. */
export function certainlyIn(spans: readonly Span[], windowMs: number): readonly Point[] {
  return curve(
    spans.map(([from, to]) => [to, from + windowMs]),
    spans,
  );
}

/** Jobs possibly accepted in it. */
export function possiblyIn(spans: readonly Span[], windowMs: number): readonly Point[] {
  return curve(
    spans.map(([from, to]) => [from, to + windowMs]),
    spans,
  );
}

/** How many are inside at each moment, given when each enters and leaves; until the last acceptance. */
function curve(stays: readonly Span[], spans: readonly Span[]): readonly Point[] {
  const changes = stays
    // A job whose span is longer than a window is certainly in none.
    .filter(([enters, leaves]) => enters < leaves)
    .flatMap(([enters, leaves]) => [[enters, 1] as const, [leaves, -1] as const])
    // At equal times, leaving comes before entering.
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const end = lastOf(spans);
  const points: Point[] = [[0, 0]];
  let jobs = 0;
  for (const [ms, change] of changes) {
    if (ms > end) break;
    jobs += change;
    points.push([ms, jobs]);
  }
  return points;
}

export function highest(points: readonly Point[]): number {
  return points.reduce((most, [, jobs]) => Math.max(most, jobs), 0);
}

function lastOf(spans: readonly Span[]): number {
  return spans.at(-1)?.[1] ?? 0;
}

/** The fastest rate that the budget allows: a full window together with the first job, then another each window. */
export function ceilingOf(
  spans: readonly Span[],
  { limit, windowMs }: { readonly limit: number; readonly windowMs: number },
): readonly Point[] {
  const first = spans.reduce((least, [from]) => Math.min(least, from), lastOf(spans));
  const end = lastOf(spans);
  const points: Point[] = [];
  for (let full = 0; first + full * windowMs <= end; full += 1) {
    points.push([first + full * windowMs, (full + 1) * limit]);
  }
  const last = points.at(-1);
  return last === undefined ? [] : [...points, [end, last[1]]];
}

/** More points than pixels only make a chart slow. The highest point of each interval is kept, so no peak is lost. */
export function thinned(points: readonly Point[], most = 800): readonly Point[] {
  if (points.length <= most) return points;
  const step = Math.ceil(points.length / most);
  const kept: Point[] = [];
  for (let start = 0; start < points.length; start += step) {
    const stretch = points.slice(start, start + step);
    kept.push(stretch.reduce((highest, point) => (point[1] > highest[1] ? point : highest)));
  }
  const last = points.at(-1);
  return last === undefined || kept.at(-1) === last ? kept : [...kept, last];
}
