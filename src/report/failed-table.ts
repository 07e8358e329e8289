/**
 * `failed.csv`: the manifest rows of the items that did not succeed and can be run again, with the reason. It is a
 * manifest: `hundredfold run failed.csv` accepts it, as it is or corrected.
 */
import { REASON_COLUMNS } from '../domain/formula-guard.ts';
import { kindOf } from '../kinds/registry.ts';
import type { ItemState } from '../domain/states.ts';
import { errorOf, type Listed, pathOf, rowOf, stateOf } from './campaign-items.ts';
import type { Row } from './csv-table.ts';
import { ownCells } from './own-columns.ts';

/** A cancelled item is not included: the user did not want it. */
const LISTED: readonly ItemState[] = ['failed', 'held', 'invalid'];

const FIRST_COLUMNS = ['id', 'kind', 'file'] as const;

export function isListed(item: Listed): boolean {
  return LISTED.includes(stateOf(item));
}

/** Adds the names of the row's other columns, as used in the table. */
export function collectManifestColumns(item: Listed, columns: Set<string>): void {
  for (const column of otherCells(item).keys()) columns.add(column);
}

export function failedHeader(columns: Iterable<string>): Row {
  return [...FIRST_COLUMNS, ...columns, ...REASON_COLUMNS];
}

/** By column name: the row as it can be run again from the folder of the tables. */
export function manifestRow(item: Listed): Readonly<Record<string, string>> {
  const { id, kind } = item;
  const others = [...otherCells(item)].filter(([, value]) => value !== '');
  return { id, kind: kind ?? '', file: fileOf(item), ...Object.fromEntries(others) };
}

export function failedRow(item: Listed, columns: Iterable<string>): Row {
  const error = errorOf(item);
  const cells = otherCells(item);
  return [
    item.id,
    item.kind ?? '',
    fileOf(item),
    ...Array.from(columns, (column) => cells.get(column) ?? ''),
    error?.code ?? '',
    error?.message ?? '',
  ];
}

/**
 * The kept input, relative to failed.csv: the manifest's own path is relative to another folder, and its file may have
 * changed since. Empty if the row contains the input itself.
 */
function fileOf(item: Listed): string {
  const { record } = item;
  // It was never accepted: its path is still relative to its own manifest.
  if ('refused' in item) return (rowOf(item)['file'] ?? '').trim();
  // Instead of an input there is the note with the job's id, which is also in `remote_id`.
  if (record === null || record.adopted?.inputKnown === false) return '';
  const { column } = kindOf(record.kind).input;
  const carried = column !== null && (record.row[column.name] ?? '').trim() !== '';
  return carried ? '' : `${pathOf(item)}/${(record.input.original ?? record.input).name}`;
}

/** The row without the cells of our own columns. */
function otherCells(item: Listed): ReadonlyMap<string, string> {
  const row = rowOf(item);
  // Both together come from an earlier failed.csv: the reason is replaced, not added.
  const hasReason = REASON_COLUMNS.every((column) => Object.hasOwn(row, column));
  const replaced: readonly string[] = [...FIRST_COLUMNS, ...(hasReason ? REASON_COLUMNS : [])];
  const others = Object.entries(row).filter(([column]) => !replaced.includes(column));
  return ownCells(Object.fromEntries(others), [...FIRST_COLUMNS, ...REASON_COLUMNS]);
}
