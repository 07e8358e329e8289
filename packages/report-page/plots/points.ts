/** The rows of the table as points of a plot. Pure. */
import { isNumeric, type CellValue, type Column } from '../items/columns.ts';

export interface Point {
  readonly row: number;
  readonly x: number;
  /** 0 in a histogram. */
  readonly y: number;
  readonly colour: CellValue;
  readonly size: number | null;
}

export interface Axes {
  readonly x: Column;
  /** Null: a histogram. */
  readonly y: Column | null;
  readonly colour: Column | null;
  readonly size: Column | null;
}

/** Only rows with a value on each axis. */
export function pointsOf(rows: readonly number[], { x, y, colour, size }: Axes): readonly Point[] {
  return rows.flatMap((row): Point[] => {
    const [across, up] = [x.valueAt(row), y === null ? 0 : y.valueAt(row)];
    if (typeof across !== 'number' || typeof up !== 'number') return [];
    const weight = size?.valueAt(row) ?? null;
    return [
      {
        row,
        x: across,
        y: up,
        colour: colour?.valueAt(row) ?? null,
        size: typeof weight === 'number' ? weight : null,
      },
    ];
  });
}

/** Inclusive, in the values of the axes. */
export interface Area {
  readonly x: readonly [number, number];
  /** Null in a histogram. */
  readonly y: readonly [number, number] | null;
}

export function rowsIn(points: readonly Point[], { x, y }: Area): readonly number[] {
  const isIn = (value: number, [low, high]: readonly [number, number]): boolean =>
    value >= low && value <= high;
  return points
    .filter((point) => isIn(point.x, x) && (y === null || isIn(point.y, y)))
    .map(({ row }) => row);
}

/** Columns for an axis: those with a number in a row that is shown. */
export function axisColumns(columns: readonly Column[], rows: readonly number[]): Column[] {
  return columns.filter(
    (column) => isNumeric(column) && rows.some((row) => column.valueAt(row) !== null),
  );
}

/** Columns for colours: numbers and categories. */
export function colourColumns(columns: readonly Column[], rows: readonly number[]): Column[] {
  const numbers = new Set(axisColumns(columns, rows));
  return columns.filter((column) => column.type === 'category' || numbers.has(column));
}

/** The default plot: the first measures of the rows. */
export function firstAxis(columns: readonly Column[]): Column | undefined {
  return columns.find(({ group, isMain }) => isMain && group !== 'job') ?? columns[0];
}
