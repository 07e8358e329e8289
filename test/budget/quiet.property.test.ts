/** There are no other clients and the clock is right: the expected behaviour is known and checked to the slot. */
import { describe, expect, test } from 'vitest';
import { findBroken } from './histories.ts';
import { HISTORIES_EACH, newSeed, PATIENCE_MS } from './how-many.ts';

describe('the budget without other clients of our token', () => {
  test(
    'never exceeds the limit of a window, uses free slots at once, and serves campaigns in turn',
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
