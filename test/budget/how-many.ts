/** How many random histories a run of the tests plays. */
import { randomInt } from 'node:crypto';

/** For each of the four worlds: 102,000 in all. `HISTORIES=1000 npm test -- test/budget` for a quick look. */
export const HISTORIES_EACH = Number(process.env['HISTORIES'] ?? 25_500);

/** Each run plays other histories; a failure tells the seed. */
export function newSeed(): number {
  return randomInt(2 ** 31);
}

/** ms for each world: ten times what two busy cores take. */
export const PATIENCE_MS = 600_000;
