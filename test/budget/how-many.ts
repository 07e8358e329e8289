/** The number of random histories in a test run. */
import { randomInt } from 'node:crypto';

/** For each of the four worlds: 102,000 in all. `HISTORIES=1000 npm test -- test/budget` for a quick check. */
export const HISTORIES_EACH = Number(process.env['HISTORIES'] ?? 25_500);

/** Each run has other histories; a failure reports the seed. */
export function newSeed(): number {
  return randomInt(2 ** 31);
}

/** ms for each world: ten times the time on two busy cores. */
export const PATIENCE_MS = 600_000;
