/**
 * A result table's columns, and its rows for the files: column by column, one item at a time.
 *
 * Columns are fixed. Rejected: dynamic columns, which need a pass before the first row and make two campaigns differ; a
 * row for each value, ten times as long. Other values of a payload stay in `result.json`.
 */
import type { Cell, TableColumn } from '../../kinds/kind.ts';

export type ColumnType = TableColumn['type'];

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export type { Cell };

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

/** Whether `cells` has a value for each row. */
export function isList(cells: Cell | CellList | undefined): cells is CellList {
  return typeof cells === 'object' && cells !== null;
}
