/** The items of a campaign in manifest order, read from the tree page by page, so that memory stays constant. */
import type { StoreCode } from '../domain/error-codes/registry.ts';
import type { Kind } from '../domain/item.ts';
import type { ItemState } from '../domain/states.ts';
import type { ItemError, ItemRecord } from '../store/item-record.ts';
import { readListed } from '../store/item-store.ts';
import { isField } from '../manifest/columns.ts';
import { readInvalidRows, type InvalidRow } from '../store/invalid-rows.ts';
import { ITEM_RECORD, itemFolder, itemKey } from '../store/layout.ts';
import { readPage, type PageEntry, type PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { isDamagedRecord } from '../store/store-error.ts';

/** A prepared item; without a record if it was removed or damaged since. */
export interface CampaignItem {
  readonly id: string;
  readonly kind: Kind;
  readonly record: ItemRecord | null;
  /** Why there is no record; null when there is one. */
  readonly damage: ItemError | null;
}

export async function* itemPages(
  store: Store,
  campaign: PreparedCampaign,
): AsyncGenerator<readonly CampaignItem[]> {
  for (let page = 0; page < campaign.pages; page += 1) {
    const entries = await readPage(store, page);
    yield await Promise.all(entries.map((entry) => campaignItem(store, entry)));
  }
}

export async function* campaignItems(
  store: Store,
  campaign: PreparedCampaign,
): AsyncGenerator<CampaignItem> {
  for await (const page of itemPages(store, campaign)) yield* page;
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

export async function* listedItems(
  store: Store,
  campaign: PreparedCampaign,
): AsyncGenerator<Listed> {
  yield* campaignItems(store, campaign);
  yield* refusedRows(store);
}

export async function* refusedRows(store: Store): AsyncGenerator<RefusedRow> {
  for await (const refused of readInvalidRows(store)) {
    yield { id: refused.id, kind: refused.kind, record: null, refused };
  }
}

/** An item without a record is not lost (promise 3): it counts as failed, with the reason. */
export function stateOf(item: Listed): ItemState {
  return 'refused' in item ? 'invalid' : (item.record?.state ?? 'failed');
}

export function errorOf(item: Listed): ItemError | null {
  if ('refused' in item) return { code: item.refused.code, message: item.refused.message };
  return item.damage ?? item.record?.error ?? null;
}

/** The manifest row as the user wrote it. */
export function rowOf(item: Listed): Readonly<Record<string, string>> {
  return 'refused' in item ? item.refused.row : (item.record?.row ?? {});
}

/** The user's own columns of the row. */
export function ownOf(item: Listed): Readonly<Record<string, string>> {
  if (!('refused' in item)) return item.record?.user ?? {};
  return Object.fromEntries(Object.entries(item.refused.row).filter(([name]) => !isField(name)));
}

/** Its folder in the tree; empty if it has none. */
export function pathOf(item: Listed): string {
  return 'refused' in item ? '' : itemFolder(item.kind, item.id);
}

async function campaignItem(store: Store, entry: PageEntry): Promise<CampaignItem> {
  const { id, kind } = entry;
  try {
    const record = await readListed(store, entry);
    if (record !== null) return { id, kind, record, damage: null };
    const message = `${itemKey(kind, id, ITEM_RECORD)} is missing. ${RUN_AGAIN}`;
    const code = 'STORE_MISSING' satisfies StoreCode;
    return { id, kind, record, damage: { code, message } };
  } catch (error) {
    if (!isDamagedRecord(error)) throw error;
    const message = `${error.message} ${error.remedy}`;
    return { id, kind, record: null, damage: { code: error.code, message } };
  }
}

const RUN_AGAIN =
  'Run the "hundredfold run" command of this campaign again: the item then runs from the beginning.';
