/**
 * A result table's columns, and its rows on the way into the files: column by column, an item at a time.
 *
 * Columns are fixed. Rejected: columns as they are found, which need a pass before the first row and make two
 * campaigns differ; a row for each value, ten times as long. What else a payload has stays in `result.json`.
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

/** Some rows of a table that follow each other. */
export interface Slab {
  readonly rows: number;
  /** In the order of the columns: a value for each row, or one that stands in every row. */
  readonly cells: readonly (Cell | CellList)[];
}

export function columns(type: ColumnType, ...names: readonly string[]): readonly Column[] {
  return names.map((name) => ({ name, type }));
}

/** Null for what a column of integers cannot hold. */
export function asInteger(value: unknown): number | null {
  return typeof value === 'number' && (value | 0) === value ? value : null;
}

/** `cells` as a value for each row. */
export function isList(cells: Cell | CellList | undefined): cells is CellList {
  return typeof cells === 'object' && cells !== null;
}
