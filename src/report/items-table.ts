/** `items.csv`: one row per item, with the user's own columns. */
import type { ItemRecord } from '../store/item-record.ts';
import { errorOf, ownOf, pathOf, stateOf, type Listed } from './campaign-items.ts';
import { warningsOf } from '../store/item-warnings.ts';
import type { Row } from './csv-table.ts';
import { ownCells } from './own-columns.ts';
import { engineVersion } from './tables/engine-version.ts';

export const ITEM_COLUMNS = [
  'id',
  'kind',
  'state',
  'remote_id',
  'attempts',
  'sent_at',
  'submitted_at',
  'queued_at',
  'finished_at',
  'error_code',
  'error',
  'path',
  'result_from',
  'engine_version',
  'warnings',
] as const;

/** Adds the names of the item's own columns, as used in the table. */
export function collectOwnColumns(item: Listed, columns: Set<string>): void {
  for (const column of ownCells(ownOf(item), ITEM_COLUMNS).keys()) columns.add(column);
}

export function itemsHeader(ownColumns: Iterable<string>): Row {
  return [...ITEM_COLUMNS, ...ownColumns];
}

export function itemsRow(item: Listed, ownColumns: Iterable<string>): Row {
  const { id, kind, record } = item;
  const error = errorOf(item);
  const own = ownCells(ownOf(item), ITEM_COLUMNS);
  return [
    id,
    kind ?? '',
    stateOf(item),
    record?.remoteId ?? '',
    record === null ? '' : String(record.attempts.length),
    record?.sentAt ?? '',
    record?.submittedAt ?? '',
    queuedTime(record?.timing?.queuedAt ?? ''),
    record?.finishedAt ?? '',
    error?.code ?? '',
    error?.message ?? '',
    pathOf(item),
    resultFrom(record),
    engineVersion(record) ?? '',
    record === null
      ? ''
      : warningsOf(record)
          .map(({ code }) => code)
          .join(' '),
    ...Array.from(ownColumns, (column) => own.get(column) ?? ''),
  ];
}

/** `duplicate:ID`, `cache:CAMPAIGN/ID` or `adopted`; empty if the campaign submitted the item. */
function resultFrom(record: ItemRecord | null): string {
  const from = record?.resultFrom;
  if (!from) return record?.adopted ? 'adopted' : '';
  return from.type === 'duplicate' ? `duplicate:${from.id}` : `cache:${from.campaign}/${from.id}`;
}

/** With a zone, like the other times; a time without one is left as the service wrote it. */
function queuedTime(text: string): string {
  const at = /(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? text : new Date(at).toISOString();
}
