/** `items.csv`: one row an item, with the user's own columns. */
import { itemFolder } from '../store/layout.ts';
import { errorOf, stateOf, type CampaignItem } from './campaign-items.ts';
import type { Row } from './csv-table.ts';
import { ownCells } from './own-columns.ts';

export const ITEM_COLUMNS = [
  'id',
  'kind',
  'state',
  'remote_id',
  'attempts',
  'submitted_at',
  'finished_at',
  'error_code',
  'error',
  'path',
] as const;

/** Adds the names of the item's own columns, as they stand in the table. */
export function collectOwnColumns(item: CampaignItem, columns: Set<string>): void {
  for (const column of ownCells(item.record?.user ?? {}, ITEM_COLUMNS).keys()) columns.add(column);
}

export function itemsHeader(ownColumns: Iterable<string>): Row {
  return [...ITEM_COLUMNS, ...ownColumns];
}

export function itemsRow(item: CampaignItem, ownColumns: Iterable<string>): Row {
  const { id, kind, record } = item;
  const error = errorOf(item);
  const own = ownCells(record?.user ?? {}, ITEM_COLUMNS);
  return [
    id,
    kind,
    stateOf(item),
    record?.remoteId ?? '',
    record === null ? '' : String(record.attempts.length),
    record?.submittedAt ?? '',
    record?.finishedAt ?? '',
    error?.code ?? '',
    error?.message ?? '',
    itemFolder(kind, id),
    ...Array.from(ownColumns, (column) => own.get(column) ?? ''),
  ];
}
