/** The items of a campaign in manifest order, read from the tree a page at a time: memory stays flat. */
import type { Kind } from '../domain/item.ts';
import type { ItemState } from '../domain/states.ts';
import type { ItemError, ItemRecord } from '../store/item-record.ts';
import { readItem } from '../store/item-store.ts';
import { ITEM_RECORD, itemKey } from '../store/layout.ts';
import { readPage, type PageEntry, type PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';

/** An item that was prepared; without a record when someone removed or damaged it since. */
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

/** An item whose record is gone is not lost (promise 3): it counts as failed, with the reason. */
export function stateOf(item: CampaignItem): ItemState {
  return item.record?.state ?? 'failed';
}

export function errorOf(item: CampaignItem): ItemError | null {
  return item.damage ?? item.record?.error ?? null;
}

async function campaignItem(store: Store, { id, kind }: PageEntry): Promise<CampaignItem> {
  try {
    const record = await readItem(store, kind, id);
    if (record !== null) return { id, kind, record, damage: null };
    const message = `${itemKey(kind, id, ITEM_RECORD)} is missing.`;
    return { id, kind, record, damage: { code: 'STORE_MISSING', message } };
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'STORE_RECORD_UNREADABLE') throw error;
    return { id, kind, record: null, damage: { code: error.code, message: error.message } };
  }
}
