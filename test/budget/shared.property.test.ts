/** Other clients use the same windows: the service refuses, reports the remaining slots, and is believed. */
import { describe, expect, test } from 'vitest';
import { findBroken } from './histories.ts';
import { HISTORIES_EACH, newSeed, PATIENCE_MS } from './how-many.ts';

describe('the budget with other clients of our token and our address', () => {
  test(
    'stays within its own share, follows the counts that the service reports, and starves no campaign',
    async () => {
      const broken = await findBroken({
        world: 'shared',
        histories: HISTORIES_EACH,
        seed: newSeed(),
      });
      expect(broken, broken ?? '').toBeNull();
    },
    PATIENCE_MS,
  );
});
