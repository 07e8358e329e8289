/** Durations and sizes, as a user writes them. */
import { expect, test } from 'vitest';
import { parseDuration } from '../../src/config/duration.ts';
import { parseSize } from '../../src/config/schema-values.ts';

test.each<readonly [string, number | null]>([
  ['500ms', 500],
  ['10s', 10_000],
  ['60m', 3_600_000],
  ['1.5h', 5_400_000],
  ['14d', 1_209_600_000],
  ['250', 250],
  ...['0s', 'soon', '', '-5s'].map((text) => [text, null] as const),
])('the duration %j is %j ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each<readonly [string, number | null]>([
  ['64MB', 64_000_000],
  ['1.5 gb', 1_500_000_000],
  ['64MiB', 67_108_864],
  ['20kB', 20_000],
  ['7B', 7],
  ['250', 250],
  ...['0MB', '5iB', '-5MB', 'much', ''].map((text) => [text, null] as const),
])('the size %j is %j bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});
