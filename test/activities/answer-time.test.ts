/** When the budget charges an answer: the reading after the end of its activity, less the time since the answer. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeAgoMs } from '../../src/activities/submit.ts';
import { STEADY_RESOLUTION_MS } from '../../src/ledger/steady-clock.ts';

/** A machine whose steady clock drifts against that of the server. */
class Machine {
  /** By the server's clock (ms). */
  server = 0;
  run = 'boot';
  readonly #rate: number;
  readonly #began: number;

  constructor(rate: number, began: number) {
    this.#rate = rate;
    this.#began = began;
  }

  now() {
    const exact = this.#began + this.server * this.#rate;
    const steadyMs = Math.floor(exact / STEADY_RESOLUTION_MS) * STEADY_RESOLUTION_MS;
    return { run: this.run, steadyMs, wallMs: 0 };
  }
}

const drift = fc.double({ min: -0.0009, max: 0.0009, noNaN: true });

test('an answer is never placed before its time, and at most 30 ms and a drift of 0.2 % after it', () => {
  fc.assert(
    fc.property(drift, fc.nat(10_000), fc.nat(120_000), (by, began, took) => {
      const machine = new Machine(1 + by, began);
      machine.server = began / 3;
      const answered = machine.now();
      machine.server += took;
      const ago = computeAgoMs(answered, machine.now()) ?? Number.NaN;
      expect(ago).toBeLessThanOrEqual(took);
      expect(ago).toBeGreaterThanOrEqual(Math.max(0, took - 30 - took * 0.002));
    }),
    { numRuns: 2_000 },
  );
});

test('an answer before the machine was started again is placed at the reading', () => {
  const machine = new Machine(1, 0);
  const answered = machine.now();
  machine.server += 60_000;
  machine.run = 'next boot';
  expect(computeAgoMs(answered, machine.now())).toBeNull();
});
