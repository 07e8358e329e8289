/** The items of a campaign in manifest order, read from the tree page by page, so that memory stays constant. */
import type { ErrorCode } from '../domain/errors.ts';
import type { Kind, ItemState } from '../domain/campaign.ts';
import { type FileDigest, type Store, isDamagedRecord } from './store.ts';
import type { ItemError, ItemRecord } from './item-record.ts';
import { readListed } from './item-store.ts';
import { isField } from '../manifest/columns.ts';
import {
  readInvalidRows,
  type InvalidRow,
  createNotPreparedError,
  readPage,
  type PageEntry,
  type PreparedCampaign,
} from './prepared-campaign.ts';
import { ITEM_RECORD, buildItemFolder, buildItemKey } from './layout.ts';

/** A prepared item; without a record if it was removed or damaged since. */
export type CampaignItem = RecordedItem | DamagedItem;

export interface RecordedItem extends Pick<PageEntry, 'id' | 'kind' | 'asks'> {
  readonly record: ItemRecord;
  /** Of its item.json. */
  readonly digest: FileDigest;
  readonly damage: null;
}

export interface DamagedItem extends Pick<PageEntry, 'id' | 'kind' | 'asks'> {
  readonly record: null;
  /** Why there is no record, with what to do. */
  readonly damage: ItemError;
  /** A sentence: only why. */
  readonly reason: string;
}

/** @param chosen numbers of pages; default: all */
export async function* readItemPages(
  store: Store,
  campaign: PreparedCampaign,
  chosen: Iterable<number> = Array(campaign.pages).keys(),
): AsyncGenerator<readonly CampaignItem[]> {
  for (const page of chosen) {
    const entries = await readPage(store, page);
    yield await Promise.all(entries.map((entry) => readCampaignItem(store, entry)));
  }
}

export async function* readCampaignItems(
  store: Store,
  campaign: PreparedCampaign,
): AsyncGenerator<CampaignItem> {
  for await (const page of readItemPages(store, campaign)) yield* page;
}

/** Everything with a row in the tables: the items, then the refused rows. */
export type Listed = CampaignItem | RefusedRow;

/** It has no folder and no record. */
interface RefusedRow {
  readonly id: string;
  readonly kind: Kind | null;
  readonly record: null;
  readonly refused: InvalidRow;
}

export async function* readListedItems(
  store: Store,
  campaign: PreparedCampaign,
): AsyncGenerator<Listed> {
  yield* readCampaignItems(store, campaign);
  yield* readRefusedRows(store);
}

export async function* readRefusedRows(store: Store): AsyncGenerator<RefusedRow> {
  for (const refused of await readInvalidRows(store)) {
    yield { id: refused.id, kind: refused.kind, record: null, refused };
  }
}

/** An item without a record is not lost (promise 3): it counts as failed, with the reason. */
export function readState(item: Listed): ItemState {
  return 'refused' in item ? 'invalid' : (item.record?.state ?? 'failed');
}

export function readError(item: Listed): ItemError | null {
  if ('refused' in item) return { code: item.refused.code, message: item.refused.message };
  return item.damage ?? item.record.error;
}

/** The manifest row as the user wrote it. */
export function readRow(item: Listed): Readonly<Record<string, string>> {
  return 'refused' in item ? item.refused.row : (item.record?.row ?? {});
}

/** The user's own columns of the row. */
export function readOwnCells(item: Listed): Readonly<Record<string, string>> {
  if (!('refused' in item)) return item.record?.user ?? {};
  return Object.fromEntries(Object.entries(item.refused.row).filter(([name]) => !isField(name)));
}

/** Its folder in the tree; empty if it has none. */
export function buildPath(item: Listed): string {
  return 'refused' in item ? '' : buildItemFolder(item.kind, item.id);
}

async function readCampaignItem(store: Store, entry: PageEntry): Promise<CampaignItem> {
  const { id, kind, asks } = entry;
  try {
    const found = await readListed(store, entry);
    if (found !== null) return { id, kind, asks, ...found, damage: null };
    const reason = `${buildItemKey(kind, id, ITEM_RECORD)} is missing.`;
    const code = 'STORE_MISSING' satisfies ErrorCode;
    const damage = { code, message: `${reason} ${RUN_AGAIN}` };
    return { id, kind, asks, record: null, damage, reason };
  } catch (error) {
    if (!isDamagedRecord(error)) throw error;
    const { code, message: reason, remedy } = error;
    const damage = { code, message: `${reason} ${remedy}` };
    return { id, kind, asks, record: null, damage, reason };
  }
}

const RUN_AGAIN =
  'Run the "hundredfold run" command of this campaign again: the item then runs from the beginning.';

/**
 * Runs before the rows are used: a changed page would silently lose some.
 * @throws StoreError `STORE_NOT_PREPARED`: the pages do not list what was prepared; `STORE_RECORD_UNREADABLE`
 */
export async function checkListedRows(store: Store, campaign: PreparedCampaign): Promise<void> {
  const fault = await findListedRowsFault(store, campaign);
  if (fault !== null) throw createNotPreparedError(store, fault);
}

/** A sentence without a full stop; null if there is no fault. */
export async function findListedRowsFault(
  store: Store,
  { pages, items }: PreparedCampaign,
): Promise<string | null> {
  const folders = new Set<string>();
  let rows = 0;
  for (let page = 0; page < pages; page += 1) {
    for (const { kind, id } of await readPage(store, page)) {
      folders.add(buildItemFolder(kind, id));
      rows += 1;
    }
  }
  if (folders.size !== rows) return `its pages list ${rows - folders.size} of its rows twice`;
  return rows === items ? null : `its pages list ${rows} of its ${items} rows`;
}
