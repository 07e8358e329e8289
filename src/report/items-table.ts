/** `items.csv`: one row per item, with the user's own columns. */
import { type ItemRecord, warningsOf } from '../store/item-record.ts';
import { errorOf, ownOf, pathOf, stateOf, type Listed } from './campaign-items.ts';
import type { Row } from './csv-table.ts';
import { ownCells } from './own-columns.ts';
import { engineVersion } from './tables/engine-version.ts';

/** Our columns in their order, each with its cell of an item. */
const COLUMNS = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  state: stateOf,
  remote_id: ({ record }) => record?.remoteId,
  attempts: ({ record }) => record?.attempts.length.toString(),
  sent_at: ({ record }) => record?.sentAt,
  submitted_at: ({ record }) => record?.submittedAt,
  queued_at: ({ record }) => queuedTime(record?.timing?.queuedAt ?? ''),
  finished_at: ({ record }) => record?.finishedAt,
  error_code: (item) => errorOf(item)?.code,
  error: (item) => errorOf(item)?.message,
  path: pathOf,
  result_from: ({ record }) => resultFrom(record),
  engine_version: ({ record }) => engineVersion(record),
  warnings: ({ record }) => record && warningCodes(record),
} as const satisfies Readonly<Record<string, (item: Listed) => string | null | undefined>>;

export const ITEM_COLUMNS: readonly string[] = Object.keys(COLUMNS);

/** Adds the names of the item's own columns, as used in the table. */
export function collectOwnColumns(item: Listed, columns: Set<string>): void {
  for (const column of ownCells(ownOf(item), ITEM_COLUMNS).keys()) columns.add(column);
}

export function itemsHeader(ownColumns: Iterable<string>): Row {
  return [...ITEM_COLUMNS, ...ownColumns];
}

export function itemsRow(item: Listed, ownColumns: Iterable<string>): Row {
  const own = ownCells(ownOf(item), ITEM_COLUMNS);
  return [
    ...Object.values(COLUMNS).map((cellOf) => cellOf(item) ?? ''),
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

function warningCodes(record: ItemRecord): string {
  return warningsOf(record)
    .map(({ code }) => code)
    .join(' ');
}
