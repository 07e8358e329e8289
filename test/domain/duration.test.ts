import { expect, test } from 'vitest';
import { formatDuration, formatNonZeroDuration } from '../../src/domain/duration.ts';

test.each([
  [0, '0 s'],
  [900, '1 s'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [8_040_000, '2 h 14 min'],
  [90_000_000, '1 d 1 h'],
])('%i ms are shown as %j', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, '1 s'],
  [400, '1 s'],
  [1_600, '2 s'],
])('%i ms, which are more than zero, are shown as %j', (ms, text) => {
  expect(formatNonZeroDuration(ms)).toBe(text);
});
