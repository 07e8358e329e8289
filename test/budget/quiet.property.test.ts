/** Nobody else draws on the window and the clock is right: what the budget does is known to the slot, and checked so. */
import { describe, expect, test } from 'vitest';
import { findBroken } from './histories.ts';
import { HISTORIES_EACH, newSeed, PATIENCE_MS } from './how-many.ts';

describe('the budget when nobody else uses our token', () => {
  test(
    'never lets a window overflow, uses every free slot at once, and serves campaigns by weight',
    async () => {
      const broken = await findBroken({
        world: 'quiet',
        histories: HISTORIES_EACH,
        seed: newSeed(),
      });
      expect(broken, broken ?? '').toBeNull();
    },
    PATIENCE_MS,
  );
});
