/**
 * A result table's columns, and its rows for the files: column by column, one item at a time.
 *
 * Columns are fixed. Rejected: dynamic columns, which need a pass before the first row and make two campaigns differ; a
 * row for each value, ten times as long. Other values of a payload stay in `result.json`.
 */
/** `integer`: of 32 bits. `number`: a double. */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export type Cell = string | number | boolean | null;

/** A value for each row. */
export type CellList = readonly Cell[];

/** Consecutive rows of a table. */
export interface Slab {
  readonly rows: number;
  /** In column order: a value for each row, or one for all rows. */
  readonly cells: readonly (Cell | CellList)[];
}

export function columns(type: ColumnType, ...names: readonly string[]): readonly Column[] {
  return names.map((name) => ({ name, type }));
}

/** Null if it does not fit into a column of integers. */
export function asInteger(value: unknown): number | null {
  return typeof value === 'number' && (value | 0) === value ? value : null;
}

/** Whether `cells` has a value for each row. */
export function isList(cells: Cell | CellList | undefined): cells is CellList {
  return typeof cells === 'object' && cells !== null;
}
