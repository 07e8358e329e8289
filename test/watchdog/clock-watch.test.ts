/** Steps of the wall clock are detected, without false positives. */
import { expect, test } from 'vitest';
import { ClockWatch } from '../../src/host/watch-clock.ts';
import { TestClock } from '../ledger/a-ledger.ts';

function watched() {
  const clock = new TestClock();
  const steps: number[] = [];
  const watch = new ClockWatch(clock, (stepMs) => steps.push(stepMs));
  return { clock, steps, watch };
}

test('a step back and a step forward are each reported once, with their length', () => {
  const { clock, steps, watch } = watched();
  for (const step of [-3_600_000, 10_000]) {
    clock.pass(1_000);
    clock.set(clock.wallMs + step);
    watch.look();
    clock.pass(1_000);
    watch.look();
  }
  expect(steps).toEqual([-3_600_000, 10_000]);
});

test('a long time since the last check, and a small correction, are not reported as a step', () => {
  const { clock, steps, watch } = watched();
  clock.pass(8 * 3_600_000);
  watch.look();
  clock.set(clock.wallMs + 900);
  watch.look();
  expect(steps).toEqual([]);
});
