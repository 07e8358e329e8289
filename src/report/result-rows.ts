/**
 * The rows of one result in the tables of its kind, and their text as CSV in the style of items.csv.
 *
 * Columns are fixed. Rejected: dynamic columns, which make two campaigns differ; a row for each value, ten times as long.
 * Other values of a payload stay in `result.json`.
 */
import type { Cell, Cells, TableColumn, MeasureValues } from '../kinds/kind.ts';
import type { AnyKind } from '../kinds/registry.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { formatCsvCell, renameOwnCells } from './csv-table.ts';

export type ColumnType = TableColumn['type'];

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/** Consecutive rows of a table. */
export interface RowBlock {
  readonly rows: number;
  /** In column order: a value for each row, or one for all rows. */
  readonly cells: readonly (Cell | readonly Cell[])[];
}

/** A table of a kind: that of its results, or that of its measures. */
export type TableOf = 'results' | 'measures';

export function defineColumns(type: ColumnType, ...names: readonly string[]): readonly Column[] {
  return names.map((name) => ({ name, type }));
}

/** Whether `cells` has a value for each row. */
export function isList(cells: Cell | readonly Cell[] | undefined): cells is readonly Cell[] {
  return typeof cells === 'object' && cells !== null;
}

/** The columns that every campaign has; the user's own follow them. */
export function listFixedColumns(kind: AnyKind, table: TableOf): readonly Column[] {
  const inner =
    table === 'results'
      ? Object.entries(kind.table.columns).map(([name, { type }]): Column => ({ name, type }))
      : Object.entries(kind.measures).map(([key, { decimals, column = key }]): Column => ({
          name: column,
          type: decimals === 0 ? 'integer' : 'number',
        }));
  return [
    ...defineColumns('text', 'id'),
    ...inner,
    ...defineColumns('text', 'engine', 'engine_version'),
  ];
}

const PROGRAM_AND_VERSION = /\b(?:ACPYPE|b2bTools|ShiftCrypt) (\d[\w.+-]*)/i;

/** `2023.10.27` from `real, ACPYPE 2023.10.27, Open Babel 3.1.1.23`; null if the service did not report it. */
export function parseEngineVersion(record: Pick<ItemRecord, 'engine'> | null): string | null {
  return PROGRAM_AND_VERSION.exec(record?.engine ?? '')?.[1] ?? null;
}

/** Makes the rows of the items of one kind in one of its tables. */
export class RowMaker {
  readonly columns: readonly Column[];
  readonly #fixed: readonly Column[];
  readonly #own: readonly string[];

  /** @param own the user's columns of the kind */
  constructor(kind: AnyKind, table: TableOf, own: readonly string[]) {
    this.#fixed = listFixedColumns(kind, table);
    const ours = this.#fixed.map(({ name }) => name);
    const renamed = renameOwnCells(Object.fromEntries(own.map((name) => [name, name])), ours);
    this.#own = Object.values(renamed);
    this.columns = [...this.#fixed, ...defineColumns('text', ...Object.keys(renamed))];
  }

  blocks(record: ItemRecord, results: readonly Cells[]): readonly RowBlock[] {
    // CSV has only one way to write an empty value.
    const last = this.#own.map(
      (name) => (Object.hasOwn(record.user, name) ? record.user[name] : null) || null,
    );
    const about: Cells = {
      id: record.id,
      engine: record.engine ?? null,
      engine_version: parseEngineVersion(record),
    };
    return results.map((result) => {
      const lists = Object.values(result).filter(isList);
      const cells = this.#fixed.map(({ name }) => about[name] ?? result[name] ?? null);
      return { rows: lists[0]?.length ?? 1, cells: [...cells, ...last] };
    });
  }
}

/** The measures of an item as cells of the table of measures. */
export function measureCells({ measures }: AnyKind, values: MeasureValues): Cells {
  return Object.fromEntries(
    Object.entries(measures).map(([key, { column = key }]) => [column, values[key] ?? null]),
  );
}

/** Numbers as JavaScript writes them, in the shortest form. */
export function formatCsvRows({ rows, cells }: RowBlock): string {
  const texts = cells.map((cell) => (isList(cell) ? cell.map(formatCell) : formatCell(cell)));
  let csv = '';
  for (let row = 0; row < rows; row += 1) {
    let comma = '';
    for (const text of texts) {
      csv += comma + (typeof text === 'string' ? text : (text[row] ?? ''));
      comma = ',';
    }
    csv += '\n';
  }
  return csv;
}

function formatCell(cell: Cell): string {
  return typeof cell === 'string' ? formatCsvCell(cell) : String(cell ?? '');
}
