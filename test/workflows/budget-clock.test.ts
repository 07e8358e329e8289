/** The clock of a budget: it only moves forward, and continues when the server's clock is set back. */
import { expect, test } from 'vitest';
import { BudgetClock } from '../../src/workflows/budget-clock.ts';

const T0 = 1_800_000_000_000;

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
