/** Random histories of a budget: each promise is checked after each event. `npm run nightly` plays millions. */
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { findBroken } from './histories.ts';

/** Of each world: a minute in all. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 6_000);
/** ms for each world: ten times the time on two busy cores. */
const TIMEOUT_MS = 600_000;

test.each([
  // There are no other clients and the clock is right: what is expected is known to the slot.
  ['quiet', 'never exceeds a window, uses free slots at once, and serves campaigns in turn'],
  // As in the workflow: grants with the last reading, and ends that wait for the next one.
  ['old', 'never exceeds a window, does not call a blocked service, and starves no campaign'],
  // Other clients use the same windows: the service refuses and reports the remaining slots.
  ['shared', 'stays within its own share, and follows the counts that the service reports'],
  // A step forward cannot be distinguished from elapsed time; everything short of that is guaranteed.
  ['clocks', "is early by at most the clock's steps forward"],
] as const)(
  'a budget in the world "%s" %s',
  async (world, _) => {
    // Each run has other histories; a failure reports the seed.
    const seed = randomInt(2 ** 31);
    const broken = await findBroken({ world, histories: HISTORIES, seed });
    expect(broken, broken ?? '').toBeNull();
  },
  TIMEOUT_MS,
);
