import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../../src/config/duration.ts';

test.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['60m', 3_600_000],
  ['1.5h', 5_400_000],
  ['14d', 1_209_600_000],
  ['250', 250],
  ['0s', null],
  ['soon', null],
  ['', null],
  ['-5s', null],
])('%j is %j ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  [0, '0 s'],
  [900, '1 s'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [8_040_000, '2 h 14 min'],
  [90_000_000, '1 d 1 h'],
])('%i ms are said as %j', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
