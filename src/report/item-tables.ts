/**
 * `items.csv`: one row per item, with the user's own columns. `failed.csv`: the manifest rows of the items that did not
 * succeed and can be run again, with the reason. It is a manifest: `hundredfold run failed.csv` accepts it, as it is or
 * corrected.
 */
import { REASON_COLUMNS } from '../domain/plain-text.ts';
import type { ItemState } from '../domain/campaign.ts';
import { parseEngineVersion } from '../domain/engines.ts';
import { findKind } from '../kinds/registry.ts';
import { type ItemRecord, listWarnings } from '../store/item-record.ts';
import { FAILED_TABLE, ITEMS_TABLE } from '../store/layout.ts';
import {
  readError,
  type Listed,
  readOwnCells,
  buildPath,
  readRow,
  readState,
} from '../store/campaign-items.ts';
import { formatCsvCell, formatCsvLine, renameOwnCells } from './csv-table.ts';
import type { DerivedFiles, OpenFile, PublishedItem, Writer } from './writer.ts';

/** Our columns in their order, each with its cell of an item. */
const COLUMNS = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  state: readState,
  remote_id: ({ record }) => record?.remoteId,
  attempts: ({ record }) => record?.attempts.length.toString(),
  sent_at: ({ record }) => record?.sentAt,
  submitted_at: ({ record }) => record?.submittedAt,
  queued_at: ({ record }) => formatQueuedTime(record?.timing?.queuedAt ?? ''),
  finished_at: ({ record }) => record?.finishedAt,
  error_code: (item) => readError(item)?.code,
  error: (item) => readError(item)?.message,
  path: buildPath,
  result_from: ({ record }) => formatResultFrom(record),
  engine_version: ({ record }) => parseEngineVersion(record),
  warnings: ({ record }) => record && formatWarningCodes(record),
} as const satisfies Readonly<Record<string, (item: Listed) => string | null | undefined>>;

export const ITEM_COLUMNS: readonly string[] = Object.keys(COLUMNS);

/** Which lane has computed it; only where the jobs of a service were at several addresses. */
const LANE_COLUMN = 'computed_at';

/** `duplicate:ID`, `cache:CAMPAIGN/ID` or `adopted`; empty if the campaign submitted the item. */
function formatResultFrom(record: ItemRecord | null): string {
  const from = record?.resultFrom;
  if (!from) return record?.adopted ? 'adopted' : '';
  return from.type === 'duplicate' ? `duplicate:${from.id}` : `cache:${from.campaign}/${from.id}`;
}

/** With a zone, like the other times; a time without one is left as the service wrote it. */
function formatQueuedTime(text: string): string {
  const at = /(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? text : new Date(at).toISOString();
}

function formatWarningCodes(record: ItemRecord): string {
  return listWarnings(record)
    .map(({ code }) => code)
    .join(' ');
}

const FAILED_COLUMNS = ['id', 'kind', 'file'] as const;

/** A cancelled item is not included: the user did not want it. */
const LISTED: readonly ItemState[] = ['failed', 'held', 'invalid'];

/**
 * The kept input, relative to failed.csv: the manifest's own path is relative to another folder, and its file may have
 * changed since. Empty if the row contains the input itself.
 */
function chooseFile(item: Listed): string {
  const { record } = item;
  // It was never accepted: its path is still relative to its own manifest.
  if ('refused' in item) return (readRow(item)['file'] ?? '').trim();
  // Instead of an input there is the note with the job's id, which is also in `remote_id`.
  if (record === null || record.adopted?.inputKnown === false) return '';
  const { column } = findKind(record.kind).input;
  const carried = column !== null && (record.row[column.name] ?? '').trim() !== '';
  return carried ? '' : `${buildPath(item)}/${(record.input.original ?? record.input).name}`;
}

/** The row without the cells of our own columns. */
function listOtherCells(item: Listed): Readonly<Record<string, string>> {
  const row = readRow(item);
  // Both together come from an earlier failed.csv: the reason is replaced, not added.
  const hasReason = REASON_COLUMNS.every((column) => Object.hasOwn(row, column));
  const replaced: readonly string[] = [...FAILED_COLUMNS, ...(hasReason ? REASON_COLUMNS : [])];
  const others = Object.entries(row).filter(([column]) => !replaced.includes(column));
  return renameOwnCells(Object.fromEntries(others), [...FAILED_COLUMNS, ...REASON_COLUMNS]);
}

/** Its rows stay in memory until all of the user's columns are known. */
class ItemTable {
  readonly #file: OpenFile;
  readonly #columns = new Set<string>();
  readonly #rows: Row[] = [];

  constructor(file: OpenFile) {
    this.#file = file;
  }

  add(row: Row): void {
    for (const column of Object.keys(row.own)) this.#columns.add(column);
    this.#rows.push(row);
  }

  async end(before: readonly string[], after: readonly string[]): Promise<void> {
    const columns = [...this.#columns];
    await this.#file.write(formatCsvLine([...before, ...columns, ...after]));
    for (const { first, own, last } of this.#rows) {
      const cells = columns.map((name) => (Object.hasOwn(own, name) ? (own[name] ?? '') : ''));
      const ours = last.slice(0, after.length);
      await this.#file.write(`${[first, ...cells.map(formatCsvCell), ...ours].join(',')}\n`);
    }
    await this.#file.end();
  }
}

interface Row {
  /** Our cells as text: as a list, they need three times the memory. */
  readonly first: string;
  readonly own: Readonly<Record<string, string>>;
  readonly last: readonly string[];
}

/** Writes both tables. */
export class ItemTables implements Writer {
  readonly #items: ItemTable;
  readonly #failed: ItemTable;
  /** Where the jobs of a service were. */
  readonly #addresses = new Map<string, string>();
  #hasLanes = false;

  constructor(files: DerivedFiles) {
    this.#items = new ItemTable(files.open(ITEMS_TABLE));
    this.#failed = new ItemTable(files.open(FAILED_TABLE));
  }

  add({ item }: PublishedItem): void {
    const cells = Object.values(COLUMNS).map((cellOf) => cellOf(item) ?? '');
    const own = renameOwnCells(readOwnCells(item), [...ITEM_COLUMNS, LANE_COLUMN]);
    const last = [formatCsvCell(this.#noteAddress(item) ?? '')];
    this.#items.add({ first: cells.map(formatCsvCell).join(','), own, last });
    if (!LISTED.includes(readState(item))) return;
    const error = readError(item);
    this.#failed.add({
      first: [item.id, item.kind ?? '', chooseFile(item)].map(formatCsvCell).join(','),
      own: listOtherCells(item),
      last: [error?.code ?? '', error?.message ?? ''].map(formatCsvCell),
    });
  }

  #noteAddress({ record }: Listed): string | null {
    const { service, address = null, remoteId } = record ?? {};
    if (service === undefined || address === null || remoteId === null) return null;
    this.#hasLanes ||= (this.#addresses.get(service) ?? address) !== address;
    this.#addresses.set(service, address);
    return address;
  }

  async end(): Promise<void> {
    await this.#items.end(ITEM_COLUMNS, this.#hasLanes ? [LANE_COLUMN] : []);
    await this.#failed.end(FAILED_COLUMNS, REASON_COLUMNS);
  }
}
