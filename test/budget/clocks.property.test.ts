/**
 * The clock is set. A step forward cannot be distinguished from elapsed time; everything short of that is guaranteed.
 */
import { describe, expect, test } from 'vitest';
import { findBroken } from './histories.ts';
import { HISTORIES_EACH, newSeed, PATIENCE_MS } from './how-many.ts';

describe('the budget when the clock is set forward and back', () => {
  test(
    "is early by at most the clock's step forward, and late by at most a window",
    async () => {
      const broken = await findBroken({
        world: 'clocks',
        histories: HISTORIES_EACH,
        seed: newSeed(),
      });
      expect(broken, broken ?? '').toBeNull();
    },
    PATIENCE_MS,
  );
});
