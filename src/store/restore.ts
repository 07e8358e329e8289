/**
 * Restores the items of a running campaign whose folders were removed: otherwise their workflows would wait forever.
 * A large campaign is looked through while its items run, so nothing is kept of those that are there.
 */
import { isObjectAddress } from '../domain/object-store.ts';
import { ITEM_RECORD, itemKey } from './layout.ts';
import { ItemPreparation, nothingKnown } from './prepare-item.ts';
import type { Items } from './prepare.ts';
import { idsOf, readPage, type PreparedCampaign } from './prepared-campaign.ts';
import type { Store } from './store.ts';

/**
 * Rewrites input and record of the items without a record.
 * @param items of the manifests, which may have further rows
 */
export async function restoreItems(
  store: Store,
  campaign: PreparedCampaign,
  items: Items,
  signal?: AbortSignal,
): Promise<void> {
  const missing = await missingItems(store, campaign, signal);
  if (missing.size === 0) return;
  const there = await idsOf(store, campaign);
  // A running item has its own job, which is not replaced by a result of another campaign.
  const preparation = new ItemPreparation(store, nothingKnown, new Map());
  for await (const item of items) {
    if (missing.has(item.id)) await preparation.prepare(item);
    else if (there.has(item.id)) await preparation.meet(item);
  }
  await store.flush(preparation.written);
}

/** The ids of items on the pages that have no record. */
async function missingItems(
  store: Store,
  { pages }: PreparedCampaign,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  // A list of a bucket is a request for a thousand files, where a look is one for each. In a folder, a look is quicker.
  const records = isObjectAddress(store.location) ? await listedRecords(store, signal) : null;
  const missing = new Set<string>();
  for (let page = 0; page < pages; page += 1) {
    for (const { kind, id } of await readPage(store, page)) {
      signal?.throwIfAborted();
      const key = itemKey(kind, id, ITEM_RECORD);
      const isThere = records === null ? await store.exists(key) : records.has(key);
      if (!isThere) missing.add(id);
    }
  }
  return missing;
}

async function listedRecords(store: Store, signal?: AbortSignal): Promise<ReadonlySet<string>> {
  const records = new Set<string>();
  for await (const key of store.list('')) {
    signal?.throwIfAborted();
    if (key.endsWith(`/${ITEM_RECORD}`)) records.add(key);
  }
  return records;
}
