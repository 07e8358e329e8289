/** Rows that are sent from one thread to another are unchanged. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Slab } from '../../../src/report/tables/column.ts';
import { packSlab, unpackColumn } from '../../../src/report/tables/packed-slab.ts';

const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const text = fc.oneof(fc.constantFrom('', 'A', 'context-dependent'), fc.string());
/** Beside text there is no negative zero: as a repeated word it becomes zero. */
const beside = number.map((value) => value + 0);
const cell = fc.oneof(beside, text, fc.boolean(), fc.constant(null));

const slab = fc.integer({ min: 0, max: 12 }).chain((rows) => {
  const listOf = (values: fc.Arbitrary<Slab['cells'][number]>) =>
    fc.array(values, { minLength: rows, maxLength: rows }) as fc.Arbitrary<Slab['cells'][number]>;
  const numbers = fc.oneof(number, fc.constant(null));
  const column = fc.oneof(cell, listOf(numbers), listOf(cell));
  return fc.record({
    rows: fc.constant(rows),
    cells: fc.array(column, { minLength: 3, maxLength: 3 }),
  });
});

test('every value of every column of consecutive slabs is unchanged', () => {
  fc.assert(
    fc.property(fc.array(slab, { maxLength: 4 }), (slabs) => {
      const rows = slabs.reduce((sum, one) => sum + one.rows, 0);
      // Like a message to another thread.
      const packed = structuredClone(slabs.map(packSlab));
      for (let column = 0; column < 3; column += 1) {
        const expected = slabs.flatMap(({ rows: length, cells }) => {
          const cells1 = cells[column] ?? null;
          return Array.isArray(cells1)
            ? (cells1 as readonly unknown[])
            : new Array<unknown>(length).fill(cells1);
        });
        expect(Array.from(unpackColumn(packed, column, rows))).toEqual(expected);
      }
    }),
  );
});

test('its numbers are in one buffer, which can be transferred', () => {
  const packed = packSlab({ rows: 2, cells: ['p', [0.5, null], ['A', 'C'], [1, 2]] });
  expect(packed.values.length).toBe(6);
  const moved = structuredClone(packed, { transfer: [packed.values.buffer] });
  expect(packed.values.length).toBe(0);
  expect([0, 1, 2, 3].map((column) => Array.from(unpackColumn([moved], column, 2)))).toEqual([
    ...[
      ['p', 'p'],
      [0.5, null],
      ['A', 'C'],
      [1, 2],
    ],
  ]);
});

test('a column of numbers stays in one buffer, unless a value is missing', () => {
  const slabs = [
    packSlab({
      rows: 2,
      cells: [
        [1, 2],
        [0.5, null],
        [1, 2],
      ],
    }),
    packSlab({ rows: 1, cells: [[3], [1], 4] }),
  ];
  expect(unpackColumn(slabs, 0, 3)).toEqual(Float64Array.of(1, 2, 3));
  expect(unpackColumn(slabs, 1, 3)).toEqual([0.5, null, 1]);
  expect(unpackColumn(slabs, 2, 3)).toEqual([1, 2, 4]);
});
