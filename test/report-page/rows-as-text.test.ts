import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { unguarded } from '../../src/domain/formula-guard.ts';
import type { ItemDetail } from '../../src/report-page/data.ts';
import type { Column } from '../../src/report-page/items/columns.ts';
import { pointsOf, rowsIn } from '../../src/report-page/plots/points.ts';
import { csvText, manifestText, tableText } from '../../src/report-page/take/rows-as-text.ts';

function column(key: string, values: readonly (string | number | null)[], group = 'molecule') {
  const valueAt = (row: number) => values[row] ?? null;
  return { key, title: key.replace('own:', ''), group, valueAt } as unknown as Column;
}

test('cells are copied unchanged, except that formulas are escaped', () => {
  const cells = ['plain', 'a,b', 'a "b"', 'a\nb', ' blank ', '=1+1', '-1', '', 'a\rb'];
  const [read = []] = parse(csvText([cells]), { columns: false });
  expect(read.map(unguarded)).toEqual(cells);
  expect(read[5]).toBe("'=1+1");
});

test('a table has the columns with a value, and numbers in full', () => {
  const columns = [
    column('id', ['a', 'b'], 'item'),
    column('mass', [180.15, null]),
    column('dipole', [null, null]),
    column('own:dose', [1e-7, 2], 'own'),
  ];
  expect(tableText(columns, [1, 0])).toBe('id,mass,dose\nb,,2\na,180.15,1e-7\n');
});

test('a manifest has every column of its rows, and those that mark escaped cells', () => {
  const of = (manifest: Record<string, string>) =>
    ({ facts: { manifest } }) as unknown as ItemDetail;
  const none = { facts: null } as ItemDetail;
  const text = manifestText([
    of({ id: 'a', kind: 'molecule', file: '', smiles: '=O' }),
    none,
    of({ id: 'b', kind: 'shifts', file: 'shifts/b/input.nef', model_class: '2' }),
  ]);
  expect(text).toBe(
    'id,kind,file,smiles,model_class,error_code,error\n' +
      "a,molecule,,'=O,,,\nb,shifts,shifts/b/input.nef,,2,,\n",
  );
});

test('a brush selects the points in its range, including both ends', () => {
  const x = column('x', [1, 2, 3, null]);
  const y = column('y', [5, 6, 7, 8]);
  const axes = { x, y, colour: null, size: null };
  const points = pointsOf([3, 2, 1, 0], axes);
  expect(points.map(({ row }) => row)).toEqual([2, 1, 0]);
  expect(rowsIn(points, { x: [1, 2], y: [6, 9] })).toEqual([1]);
  expect(rowsIn(pointsOf([0, 1, 2, 3], { ...axes, y: null }), { x: [2, 9], y: null })).toEqual([
    1, 2,
  ]);
});
