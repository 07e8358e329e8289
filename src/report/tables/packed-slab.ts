/**
 * Rows of a result table in transfer between threads: all values are numbers in one buffer, which is transferred
 * instead of copied.
 */
import { isList, type Cell, type CellList, type Slab } from './column.ts';

export interface PackedSlab {
  readonly rows: number;
  /** Column by column. */
  readonly values: Float64Array<ArrayBuffer>;
  /** In table column order. */
  readonly cells: readonly PackedCell[];
}

/** The value of all rows, or the offset of the column in `values`. */
type PackedCell = { readonly every: Cell } | PackedList;

interface PackedList {
  readonly from: number;
  /**
   * The texts to which the values are indexes; null if the values are numbers. NaN then means null: no result contains
   * NaN.
   */
  readonly words: readonly Cell[] | null;
}

export function packSlab({ rows, cells }: Slab): PackedSlab {
  const values = new Float64Array(rows * cells.filter(isList).length);
  let from = 0;
  const packed = cells.map((cell): PackedCell => {
    if (!isList(cell)) return { every: cell };
    const words = packInto(values.subarray(from, from + rows), cell);
    from += rows;
    return { from: from - rows, words };
  });
  return { rows, values, cells: packed };
}

function packInto(values: Float64Array, list: CellList): readonly Cell[] | null {
  for (let row = 0; row < values.length; row += 1) {
    const cell = list[row] ?? null;
    if (typeof cell !== 'number' && cell !== null) return packWords(values, list);
    values[row] = cell ?? NaN;
  }
  return null;
}

function packWords(values: Float64Array, list: CellList): readonly Cell[] {
  const places = new Map<Cell, number>();
  for (let row = 0; row < values.length; row += 1) {
    const cell = list[row] ?? null;
    const place = places.get(cell) ?? places.size;
    if (place === places.size) places.set(cell, place);
    values[row] = place;
  }
  return [...places.keys()];
}

/** The slab that was packed. */
export function unpackSlab(slab: PackedSlab): Slab {
  const { rows, cells } = slab;
  const lists = cells.map((cell, index) =>
    'every' in cell ? cell.every : unpackCells([slab], index, rows),
  );
  return { rows, cells: lists };
}

/**
 * The column at `index` of consecutive slabs, with `rows` rows in all. A column of numbers without nulls stays in one
 * buffer: there are millions of them.
 */
export function unpackColumn(
  slabs: readonly PackedSlab[],
  index: number,
  rows: number,
): Cell[] | Float64Array {
  return unpackNumbers(slabs, index, rows) ?? unpackCells(slabs, index, rows);
}

/** Null if it contains anything but numbers. */
function unpackNumbers(
  slabs: readonly PackedSlab[],
  index: number,
  rows: number,
): Float64Array | null {
  const column = new Float64Array(rows);
  let at = 0;
  for (const slab of slabs) {
    const cell = slab.cells[index];
    if (cell === undefined || 'every' in cell || cell.words !== null) return null;
    const values = slab.values.subarray(cell.from, cell.from + slab.rows);
    if (values.includes(NaN)) return null;
    column.set(values, at);
    at += slab.rows;
  }
  return column;
}

function unpackCells(slabs: readonly PackedSlab[], index: number, rows: number): Cell[] {
  const column = new Array<Cell>(rows);
  let at = 0;
  for (const slab of slabs) {
    unpackInto(column, at, slab, index);
    at += slab.rows;
  }
  return column;
}

function unpackInto(column: Cell[], at: number, slab: PackedSlab, index: number): void {
  const { rows, values, cells } = slab;
  const cell = cells[index] ?? { every: null };
  if ('every' in cell) {
    column.fill(cell.every, at, at + rows);
    return;
  }
  const { from, words } = cell;
  for (let row = 0; row < rows; row += 1) {
    const value = values[from + row] ?? NaN;
    if (words !== null) column[at + row] = words[value] ?? null;
    else column[at + row] = Number.isNaN(value) ? null : value;
  }
}
