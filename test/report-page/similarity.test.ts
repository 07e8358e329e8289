import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FINGERPRINT_BYTES } from '../../src/report-page/data.ts';
import {
  orderBySimilarity,
  orderLike,
  tanimoto,
} from '../../src/report-page/structures/similarity.ts';

/** One fingerprint per list of set bits. */
function prints(...bits: readonly (readonly number[])[]): Uint8Array {
  const all = new Uint8Array(bits.length * FINGERPRINT_BYTES);
  for (const [place, set] of bits.entries()) {
    for (const bit of set) {
      const byte = place * FINGERPRINT_BYTES + (bit >> 3);
      all[byte] = (all[byte] ?? 0) | (1 << (bit & 7));
    }
  }
  return all;
}

test('similarity is the size of the intersection divided by the size of the union', () => {
  const all = prints([1, 2, 3], [2, 3, 4, 511], [], []);
  expect(tanimoto(all, 0, 1)).toBe(2 / 5);
  expect(tanimoto(all, 0, 0)).toBe(1);
  expect(tanimoto(all, 0, 2)).toBe(0);
  expect(tanimoto(all, 2, 3)).toBe(1);
});

test('the most similar items come first', () => {
  const all = prints([1, 2, 3, 4], [9], [1, 2], [1, 2, 3]);
  expect(orderLike(all, [0, 1, 2, 3], 0).map(({ place }) => place)).toEqual([0, 3, 2, 1]);
});

describe('similar items are adjacent', () => {
  test('two families are not mixed', () => {
    const all = prints([1, 2, 3], [50, 51, 52], [1, 2, 4], [50, 51, 53], [1, 3, 4]);
    expect(orderBySimilarity(all, [0, 1, 2, 3, 4])).toEqual([0, 2, 4, 1, 3]);
  });

  test('each is listed once, however many there are', () => {
    const lists = fc.array(fc.uniqueArray(fc.nat({ max: 511 }), { maxLength: 6 }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(lists, (bits) => {
        const places = bits.map((_, place) => place);
        const order = orderBySimilarity(prints(...bits), places);
        expect([...order].sort((a, b) => a - b)).toEqual(places);
      }),
    );
    const many = Array.from({ length: 4_000 }, (_, place) => [place % 512, (place * 7) % 512]);
    const order = orderBySimilarity(
      prints(...many),
      many.map((_, place) => place),
    );
    expect(new Set(order).size).toBe(4_000);
  });
});
