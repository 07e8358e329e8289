/** The clock is set. A step forward cannot be told from time that passes; everything short of that is promised. */
import { describe, expect, test } from 'vitest';
import { findBroken } from './histories.ts';
import { HISTORIES_EACH, newSeed, PATIENCE_MS } from './how-many.ts';

describe('the budget when the clock is set forward and back', () => {
  test(
    'is early by no more than the clock was set forward, and late by a window at most',
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
