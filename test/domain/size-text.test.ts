/** Sizes as people read them. */
import { expect, test } from 'vitest';
import { sizeText } from '../../src/domain/size-text.ts';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [9_949, '9.9 kB'],
  [9_950, '10 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [2_340_000, '2.3 MB'],
  [79e9, '79 GB'],
  [5e15, '5000 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
