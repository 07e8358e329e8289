/** Others draw on the same windows: the service refuses, tells what is left, and is believed. */
import { describe, expect, test } from 'vitest';
import { findBroken } from './histories.ts';
import { HISTORIES_EACH, newSeed, PATIENCE_MS } from './how-many.ts';

describe('the budget when others use our token and our address', () => {
  test(
    'stays within its own share, believes the service, and starves nobody',
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
