/** Durations and sizes as people read them. */
import { expect, test } from 'vitest';
import { formatDuration, formatNonZeroDuration, formatSize } from '../../src/domain/units.ts';

test.each([
  [formatDuration, 0, '0 s'],
  [formatDuration, 900, '1 s'],
  [formatDuration, 61_000, '1 min 1 s'],
  [formatDuration, 3_600_000, '1 h'],
  [formatDuration, 90_000_000, '1 d 1 h'],
  [formatNonZeroDuration, 0, '1 s'],
  [formatNonZeroDuration, 1_600, '2 s'],
  [formatSize, 999, '999 bytes'],
  [formatSize, 1_000, '1.0 kB'],
  [formatSize, 9_950, '10 kB'],
  [formatSize, 999_500, '1.0 MB'],
  [formatSize, 5e15, '5000 TB'],
])('%o: %d are shown as %j', (show, amount, text) => {
  expect(show(amount)).toBe(text);
});
