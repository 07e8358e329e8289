import { expect, test } from 'vitest';
import fc from 'fast-check';
import { ServerClock } from '../../src/activities/server-clock.ts';

test('a wait by the server’s clock does not end early if our clock is wrong or the network is slow', () => {
  const arrivals = fc.array(fc.record({ pause: fc.nat(5_000), onTheWay: fc.nat(400) }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(
      arrivals,
      fc.integer({ min: -1e6, max: 1e12 }),
      fc.nat(2_000),
      (seen, off, lead) => {
        let server = 1_800_000_000_000;
        const clock = new ServerClock(() => server - off);
        for (const { pause, onTheWay } of seen) {
          server += pause;
          const stamp = server;
          server += onTheWay;
          clock.saw(stamp);
        }
        const waited = clock.until(server + lead);
        expect(server + waited).toBeGreaterThanOrEqual(server + lead);
        // Late by at most the fastest round trip.
        expect(waited - lead).toBeLessThanOrEqual(Math.max(...seen.map((s) => s.onTheWay)));
      },
    ),
  );
});

test('a wait ends late by the delay of the fastest recent answer of the server', () => {
  let now = 0;
  const clock = new ServerClock(() => now);
  now = 1_000;
  clock.saw(1_000 - 5);
  now = 2_000;
  clock.saw(2_000 - 300);
  expect(clock.until(2_500)).toBe(505);
  // A minute later the clocks may have drifted apart.
  now = 63_000;
  clock.saw(63_000 - 300);
  expect(clock.until(63_500)).toBe(800);
});

/** What the clock should know, implemented without regard to cost. */
class PlainClock {
  #seen: { readonly at: number; readonly difference: number }[] = [];

  saw(at: number, stampMs: number): void {
    this.#seen = this.#seen.filter((one) => at - one.at < 60_000);
    this.#seen.push({ at, difference: at - stampMs });
  }

  least(): number {
    return Math.min(...this.#seen.map((one) => one.difference));
  }
}

test('the offset of the clocks is the smallest of the last minute', () => {
  // Pauses around a minute, so that stamps expire one by one and all at once.
  const pause = fc.oneof(fc.nat(2_000), fc.nat(61_000));
  const stamps = fc.array(fc.record({ pause, difference: fc.nat(50) }), { minLength: 1 });
  fc.assert(
    fc.property(stamps, (arrivals) => {
      let now = 0;
      const clock = new ServerClock(() => now);
      const plain = new PlainClock();
      for (const { pause, difference } of arrivals) {
        now += pause;
        clock.saw(now - difference);
        plain.saw(now, now - difference);
        expect(clock.until(now + 1_000)).toBe(1_000 + plain.least());
        // Asked later, without new data from the server.
        now += 100;
        expect(clock.since(now - 1_000)).toBe(1_000 - plain.least());
      }
    }),
    { numRuns: 1_000 },
  );
});
