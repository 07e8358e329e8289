/** As the workflow has it: slots are given out shortly before they are free, and used when they are. */
import { describe, expect, test } from 'vitest';
import { findBroken } from './histories.ts';
import { HISTORIES_EACH, newSeed, PATIENCE_MS } from './how-many.ts';

describe('the budget that gives slots out ahead of time', () => {
  test(
    'never lets a window overflow, leaves a service alone that said so, and starves nobody',
    async () => {
      const broken = await findBroken({
        world: 'ahead',
        histories: HISTORIES_EACH,
        seed: newSeed(),
      });
      expect(broken, broken ?? '').toBeNull();
    },
    PATIENCE_MS,
  );
});
