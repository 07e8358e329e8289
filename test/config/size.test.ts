import { expect, test } from 'vitest';
import { parseSize } from '../../src/config/schema-values.ts';

test.each([
  ['64MB', 64_000_000],
  ['1.5 gb', 1_500_000_000],
  ['64MiB', 67_108_864],
  ['20kB', 20_000],
  ['7B', 7],
  ['250', 250],
  ['0MB', null],
  ['5iB', null],
  ['-5MB', null],
  ['much', null],
  ['', null],
])('%j is %j bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});
