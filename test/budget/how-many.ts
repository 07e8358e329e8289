/** The number of random histories in a test run. */
import { randomInt } from 'node:crypto';

/** For each of the four worlds: a minute in all. `npm run nightly` plays millions. */
export const HISTORIES_EACH = wanted(6_000);
/** Of budgets that are terminated. */
export const TERMINATED_EACH = wanted(1_000);

function wanted(usual: number): number {
  return Number(process.env['HISTORIES'] ?? usual);
}

/** Each run has other histories; a failure reports the seed. */
export function newSeed(): number {
  return randomInt(2 ** 31);
}

/** ms for each world: ten times the time on two busy cores. */
export const PATIENCE_MS = 600_000;
