/** Curves of the accepted jobs against a rolling window: functions of times in ms, ascending. */

/** When, and how many from then on. */
export type Point = readonly [ms: number, jobs: number];

/** All accepted so far. */
export function cumulative(times: readonly number[]): readonly Point[] {
  return [[0, 0], ...times.map((ms, index) => [ms, index + 1] as const)];
}

/** Those accepted in the window that ends now. A job leaves it a window after its acceptance. */
export function inWindow(times: readonly number[], windowMs: number): readonly Point[] {
  const changes = [
    ...times.map((ms) => [ms, 1] as const),
    ...times.map((ms) => [ms + windowMs, -1] as const),
  ]
    // One that leaves makes room for one that comes in the same moment.
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const end = times.at(-1) ?? 0;
  const points: Point[] = [[0, 0]];
  let jobs = 0;
  for (const [ms, change] of changes) {
    if (ms > end) break;
    jobs += change;
    points.push([ms, jobs]);
  }
  return points;
}

export function mostInWindow(times: readonly number[], windowMs: number): number {
  return inWindow(times, windowMs).reduce((most, [, jobs]) => Math.max(most, jobs), 0);
}

/** The quickest that the budget allows: a full window at once with the first job, and another each window. */
export function ceilingOf(
  times: readonly number[],
  { limit, windowMs }: { readonly limit: number; readonly windowMs: number },
): readonly Point[] {
  const [first = 0] = times;
  const end = times.at(-1) ?? 0;
  const points: Point[] = [];
  for (let full = 0; first + full * windowMs <= end; full += 1) {
    points.push([first + full * windowMs, (full + 1) * limit]);
  }
  const last = points.at(-1);
  return last === undefined ? [] : [...points, [end, last[1]]];
}

/** More points than a chart has pixels only make it slow. The highest of each stretch stays, so no peak is lost. */
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
