/**
 * Rows of a result table on their way from one thread to another: all values are numbers in one piece of memory, which
 * is handed over instead of being copied.
 */
import { isList, type Cell, type CellList, type Slab } from './column.ts';

export interface PackedSlab {
  readonly rows: number;
  /** One column after the other. */
  readonly values: Float64Array<ArrayBuffer>;
  /** In the order of the table's columns. */
  readonly cells: readonly PackedCell[];
}

/** What stands in every row, or where the column begins in `values`. */
type PackedCell = { readonly every: Cell } | PackedList;

interface PackedList {
  readonly from: number;
  /** What the values are the places of; null where they are the numbers themselves, and NaN, which no result has, null. */
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

/**
 * The column at `index` of slabs that follow each other, with `rows` rows in all. One without a null in it that is of
 * numbers stays in one piece of memory: there are millions of them.
 */
export function unpackColumn(
  slabs: readonly PackedSlab[],
  index: number,
  rows: number,
): Cell[] | Float64Array {
  return unpackNumbers(slabs, index, rows) ?? unpackCells(slabs, index, rows);
}

/** Null where it holds anything but numbers. */
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
