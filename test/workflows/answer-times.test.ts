/** The time of the budget, and when it charges an answer that it takes in later: never before it, and soon after it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnswerTimes } from '../../src/workflows/answer-times.ts';
import { BudgetClock } from '../../src/workflows/budget-clock.ts';

const T0 = 1_800_000_000_000;
const STEADY_RESOLUTION_MS = 10;

/** A server and a machine with a steady clock of its own, which drifts against it. */
class World {
  /** By the server's clock (ms). */
  server = T0;
  readonly #answers = new AnswerTimes();
  readonly #steadyRate: number;
  #steady = 5_000_000;

  /** The worker knows the server's time up to this (ms). */
  readonly #knows: number;

  constructor({ drift = 0, knows = 0 } = {}) {
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

  const drifts = fc.double({ min: -0.0009, max: 0.0009, noNaN: true });
  const steps = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1e8 }));

  test('is not before the answer and not after the reading, while the clocks drift, or the server’s is set forward', () => {
    fc.assert(
      fc.property(submissions, submissions, steps, drifts, (one, two, step, drift) => {
        // Nothing but the readings prevents a time before the answer, unless the server's clock is set.
        const world = new World(step === 0 ? { drift, knows: 1e9 } : {});
        for (const [n, { pause, compared, ...each }] of [...one, ...two].entries()) {
          if (n === one.length) world.server += step;
          world.pass(pause);
          if (step === 0) world.compare(compared);
          const { trueTime, now, time } = world.submission(each);
          expect(time).toBeGreaterThanOrEqual(trueTime);
          expect(time).toBeLessThanOrEqual(now);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('is at most five seconds before the reading, whatever the clocks show', () => {
    const answers = new AnswerTimes();
    answers.saw({ clock: 'machine', ended: 1_000 }, T0);
    // The machine was suspended, and its clock did not count that.
    const answer = { clock: 'machine', at: 2_000, ended: 2_010, after: 0 };
    answers.saw(answer, T0 + 600_000);
    expect(answers.timeOf(answer, T0 + 600_000, 0)).toBe(T0 + 595_000);
    // Nothing is known of a machine that was not seen before.
    const unknown = { clock: 'two', at: 100, ended: 100, after: 0 };
    answers.saw(unknown, T0 + 603_000);
    expect(answers.timeOf(unknown, T0 + 603_000, 0)).toBe(T0 + 603_000);
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
});

test('the budget clock is at least the time of the last fired timer, whatever is read after it', () => {
  const clock = new BudgetClock();
  clock.read(T0);
  clock.reaches(T0 + 6_000);
  // From another host of the cluster: less than a second behind.
  expect(clock.read(T0 + 5_500)).toBe(false);
  expect(clock.now).toBe(T0 + 6_000);
  clock.read(T0 + 7_000);
  expect(clock.now).toBe(T0 + 7_000);
});

test('the budget clock continues from its last value if the server’s clock was set back', () => {
  const clock = new BudgetClock();
  clock.read(T0);
  expect(clock.read(T0 - 3_600_000)).toBe(true);
  expect(clock.now).toBe(T0);
  const next = new BudgetClock(clock.carried());
  expect(next.read(T0 - 3_600_000 + 2_000)).toBe(false);
  expect(next.now).toBe(T0 + 2_000);
});
