import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { DigestTable } from '../../src/plan/digest-table.ts';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

test('returns for each digest where it was first seen, like a map', () => {
  const texts = fc.array(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 200 });
  fc.assert(
    fc.property(texts, (all) => {
      const table = new DigestTable();
      const naive = new Map<string, number>();
      all.forEach((text, n) => {
        if (!naive.has(text)) naive.set(text, n);
        expect(table.add(digestOf(text))).toBe(naive.get(text));
      });
    }),
  );
});

test('keeps its contents while it grows, also with collisions', () => {
  const table = new DigestTable();
  // The second word determines the bucket: all of these collide.
  const crowded = Array.from(
    { length: 300 },
    (_, n) => `${(n + 1).toString(16).padStart(8, '0')}00000000`,
  );
  const scattered = Array.from({ length: 20_000 }, (_, n) => digestOf(String(n)));
  const all = [...crowded, ...scattered];
  for (let time = 0; time < 2; time += 1)
    expect(all.map((digest) => table.add(digest))).toEqual([...all.keys()]);
});

test('supports a digest of only zeros', () => {
  const table = new DigestTable();
  expect(table.add('f'.repeat(64))).toBe(0);
  expect(table.add('0'.repeat(64))).toBe(1);
  expect(table.add('0'.repeat(64))).toBe(1);
});
