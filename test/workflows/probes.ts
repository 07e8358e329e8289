/** How often a service that refuses all requests is asked, by the journal of whatever refused them. */
import { expect } from 'vitest';
import { DEFAULT_CONNECTIONS } from '../../src/services/http.ts';

/** After the first refusal, requests that are under way are still refused for so long (ms). */
const UNDER_WAY_MS = 4_000;

/** At most so many probes of one service in any such time: they come after 5, 10, 20, 40 s, then each minute. */
const BOUNDS = [
  { probes: 2, withinMs: 9_000 },
  { probes: 4, withinMs: 60_000 },
] as const;

interface Asked {
  /** ms */
  readonly at: number;
  readonly service: string;
}

/** Asserts that each service was asked a few times a minute, and that concurrent requests are bounded by the connections. */
export function fewProbes(refused: readonly Asked[]): void {
  expect(refused, 'refused requests').not.toEqual([]);
  for (const [service, asked] of Map.groupBy(refused, (one) => one.service)) {
    const stamps = asked.map(({ at }) => at).sort((a, b) => a - b);
    const first = stamps[0] ?? 0;
    const probes = stamps.filter((at) => at - first > UNDER_WAY_MS);
    expect(
      stamps.length - probes.length,
      `${service}: requests refused at once`,
    ).toBeLessThanOrEqual(2 * DEFAULT_CONNECTIONS);
    for (const bound of BOUNDS) {
      const most = Math.max(0, ...probes.map((at) => within(probes, at, bound.withinMs)));
      const what = `${service}: probes in ${bound.withinMs} ms, of ${probes.map((at) => at - first).join()}`;
      expect(most, what).toBeLessThanOrEqual(bound.probes);
    }
  }
}

function within(stamps: readonly number[], from: number, ms: number): number {
  return stamps.filter((at) => at >= from && at < from + ms).length;
}
