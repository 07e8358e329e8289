/** When the budget charges an answer that it takes in later: never before the answer, and soon after it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnswerTimes } from '../../src/workflows/answer-times.ts';

const T0 = 1_800_000_000_000;
const STEADY_RESOLUTION_MS = 10;

/** A server and a machine with a steady clock of its own, which drifts against it. */
class World {
  /** By the server's clock (ms). */
  server = T0;
  readonly #answers = new AnswerTimes();
  readonly #steadyRate: number;
  #steady: number;

  /** The worker knows the server's time up to this (ms). */
  readonly #knows: number;

  constructor({ steady = 5_000_000, drift = 0, knows = 0 } = {}) {
    this.#steady = steady;
    this.#knows = knows;
    this.#steadyRate = 1 + drift;
  }

  pass(ms: number): void {
    this.server += ms;
    this.#steady += ms * this.#steadyRate;
  }

  /** An answer arrives, its activity ends, and the budget's clock is read. */
  submission({ ends, isRead, recalled }: Submission) {
    const trueTime = this.server;
    const after = this.server - this.#knows;
    const at = this.#floor() + STEADY_RESOLUTION_MS;
    this.pass(ends);
    const times = { clock: 'machine', at, ended: this.#floor(), after };
    const answer = recalled ? { ...times, recalled } : times;
    this.pass(isRead);
    this.#answers.saw(answer, this.server);
    return { trueTime, now: this.server, time: this.#answers.timeOf(answer, this.server, 0) };
  }

  /** The steady clock is read, and then the budget's. */
  compare(isRead: number): void {
    if (!this.#answers.wantsReading(this.server)) return;
    const reading = { clock: 'machine', ended: this.#floor() };
    this.pass(isRead);
    this.#answers.saw(reading, this.server);
  }

  #floor(): number {
    return Math.floor(this.#steady / STEADY_RESOLUTION_MS) * STEADY_RESOLUTION_MS;
  }
}

interface Submission {
  readonly ends: number;
  readonly isRead: number;
  readonly recalled?: true;
}

const submissions = fc.array(
  fc.record({
    pause: fc.nat(120_000),
    ends: fc.nat(8_000),
    isRead: fc.oneof(fc.constant(0), fc.nat(3_000)),
    compared: fc.nat(3_000),
  }),
  { minLength: 1 },
);

describe('the time at which an answer is charged', () => {
  test('is that of the answer, also if its worker died and another one reports it many seconds later', () => {
    const world = new World({ knows: 20_000 });
    world.submission({ ends: 5, isRead: 5 });
    const { trueTime, time } = world.submission({ ends: 15_000, isRead: 50, recalled: true });
    expect(time - trueTime).toBeGreaterThanOrEqual(0);
    expect(time - trueTime).toBeLessThan(100);
  });

  test('is not before the answer and not after the reading, while the clocks drift', () => {
    fc.assert(
      fc.property(
        submissions,
        fc.double({ min: -0.0009, max: 0.0009, noNaN: true }),
        fc.nat(1e9),
        (all, drift, steady) => {
          // Nothing but the readings prevents a time before the answer.
          const world = new World({ drift, steady, knows: 1e9 });
          for (const { pause, compared, ...one } of all) {
            world.pass(pause);
            world.compare(compared);
            const { trueTime, now, time } = world.submission(one);
            expect(time).toBeGreaterThanOrEqual(trueTime);
            expect(time).toBeLessThanOrEqual(now);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('is not before the answer if the server’s clock is set forward between two submissions', () => {
    fc.assert(
      fc.property(submissions, submissions, fc.integer({ min: 1, max: 1e8 }), (one, two, step) => {
        const world = new World();
        for (const { pause, ...each } of one) {
          world.pass(pause);
          world.submission(each);
        }
        world.server += step;
        for (const { pause, ...each } of two) {
          world.pass(pause);
          const { trueTime, now, time } = world.submission(each);
          expect(time).toBeGreaterThanOrEqual(trueTime);
          expect(time).toBeLessThanOrEqual(now);
        }
      }),
    );
  });

  test('is at most five seconds before the reading, whatever the clocks show', () => {
    const answers = new AnswerTimes();
    answers.saw({ clock: 'machine', ended: 1_000 }, T0);
    // The machine was suspended, and its clock did not count that.
    const answer = { clock: 'machine', at: 2_000, ended: 2_010, after: 0 };
    answers.saw(answer, T0 + 600_000);
    expect(answers.timeOf(answer, T0 + 600_000, 0)).toBe(T0 + 595_000);
  });

  test('is late by the smallest delay that was seen, and not by its own', () => {
    const world = new World();
    world.submission({ ends: 20, isRead: 30 });
    world.pass(1_000);
    const { trueTime, now, time } = world.submission({ ends: 900, isRead: 1_100 });
    expect(now - trueTime).toBe(2_000);
    // The delay of 30 ms, the resolution of the steady clock, and a drift of 0.1 % in three seconds.
    expect(time - trueTime).toBeLessThanOrEqual(30 + 2 * STEADY_RESOLUTION_MS + 4);
  });

  test('is late by the delay of a comparison that was made before a burst', () => {
    const world = new World();
    world.submission({ ends: 20, isRead: 300 });
    world.pass(10_000);
    world.compare(10);
    world.pass(1_000);
    const { trueTime, time } = world.submission({ ends: 20, isRead: 300 });
    expect(time - trueTime).toBeLessThanOrEqual(10 + 2 * STEADY_RESOLUTION_MS + 2);
  });

  test('clocks are compared again after five seconds, and not for a machine that was never seen', () => {
    const answers = new AnswerTimes();
    expect(answers.wantsReading(T0)).toBe(false);
    answers.saw({ clock: 'one', ended: 0 }, T0);
    expect(answers.wantsReading(T0 + 4_999)).toBe(false);
    expect(answers.wantsReading(T0 + 5_000)).toBe(true);
    answers.saw({ clock: 'two', ended: 0 }, T0 + 1_000);
    expect(answers.wantsReading(T0 + 5_000)).toBe(false);
  });

  test('is the time of the reading if the machine was not seen before', () => {
    const answers = new AnswerTimes();
    answers.saw({ clock: 'one', ended: 10 }, T0);
    const answer = { clock: 'two', at: 100, ended: 100, after: 0 };
    answers.saw(answer, T0 + 3_000);
    expect(answers.timeOf(answer, T0 + 3_000, 0)).toBe(T0 + 3_000);
  });
});
