import { expect, test } from 'vitest';
import type { Column } from '../../src/report-page/items/columns.ts';
import { coloursOf } from '../../src/report-page/plots/plot-colours.ts';

const column: Column = {
  key: 'own:series',
  title: 'series',
  unit: '',
  meaning: '',
  type: 'category',
  group: 'own',
  decimals: null,
  isMain: true,
  valueAt: () => null,
};
const pointsOf = (texts: readonly string[]) =>
  texts.map((colour, row) => ({ row, x: 0, y: 0, colour, size: null }));

test('six categories have six colours', () => {
  const { entries } = coloursOf(column, pointsOf(['a', 'b', 'c', 'd', 'e', 'f']));
  expect(new Set(entries?.map(([, colour]) => colour)).size).toBe(6);
});

test('of more categories, the five most frequent have their own colour and the others share one', () => {
  const { of, entries } = coloursOf(column, pointsOf(Array.from('abcdefghhgfed')));
  expect(entries?.map(([name]) => name)).toEqual(['d', 'e', 'f', 'g', 'h', '3 others']);
  expect(new Set(entries?.map(([, colour]) => colour)).size).toBe(6);
  expect(of('a')).toBe(of('b'));
  expect(of('a')).not.toBe(of('d'));
});
