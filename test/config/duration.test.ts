import { expect, test } from 'vitest';
import { parseDuration } from '../../src/config/duration.ts';

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
