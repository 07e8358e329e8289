/** As in the workflow: slots are granted shortly before they are free, and used when they are. */
import { describe, expect, test } from 'vitest';
import { findBroken } from './histories.ts';
import { HISTORIES_EACH, newSeed, PATIENCE_MS } from './how-many.ts';

describe('the budget that grants slots ahead of time', () => {
  test(
    'never exceeds the limit of a window, does not call a blocked service, and starves no campaign',
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
