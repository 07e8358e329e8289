/** The clock of a budget: it only moves forward, and continues when the server's clock is set back. */
import { expect, test } from 'vitest';
import { BudgetClock } from '../../src/workflows/budget-clock.ts';

const T0 = 1_800_000_000_000;

/** Requested now. */
const read = (clock: BudgetClock, reading: number) => clock.read(reading, clock.now);

test('a reading that no worker took until a timer had fired is no clock that was set back', () => {
  const clock = new BudgetClock();
  read(clock, T0);
  const { now: since } = clock;
  clock.reaches(T0 + 16_000);
  expect(clock.read(T0 + 100, since)).toBe(false);
  read(clock, T0 + 120_000);
  expect(clock.now, 'windows would end early').toBe(T0 + 120_000);
});

test('the budget clock is at least the time of the last fired timer, whatever is read after it', () => {
  const clock = new BudgetClock();
  read(clock, T0);
  clock.reaches(T0 + 6_000);
  // From another host of the cluster: less than a second behind.
  expect(read(clock, T0 + 5_500)).toBe(false);
  expect(clock.now).toBe(T0 + 6_000);
  read(clock, T0 + 7_000);
  expect(clock.now).toBe(T0 + 7_000);
});

test('the budget clock continues from its last value if the server’s clock was set back', () => {
  const clock = new BudgetClock();
  read(clock, T0);
  expect(read(clock, T0 - 3_600_000)).toBe(true);
  expect(clock.now).toBe(T0);
  const next = new BudgetClock(clock.carried());
  expect(read(next, T0 - 3_600_000 + 2_000)).toBe(false);
  expect(next.now).toBe(T0 + 2_000);
});
