/**
 * Prepares a campaign's items in the tree before the first workflow starts: first inputs and records, then the pages,
 * the campaign last. If it is interrupted, the campaign counts as not prepared and this is repeated.
 */
import type { Item } from '../domain/item.ts';
import { inParallel } from './in-parallel.ts';
import type { ItemRecord } from './item-record.ts';
import { pageKey, PAGES, PREPARED_CAMPAIGN } from './layout.ts';
import { type AssignedItem, ItemPreparation, type Known, nothingKnown } from './prepare-item.ts';
import {
  type CampaignHeader,
  idsOf,
  pageEntry,
  type PreparedCampaign,
  readPreparedCampaign,
  RowCounter,
  type RowCounts,
  writePage,
  writePreparedCampaign,
} from './prepared-campaign.ts';
import type { Store } from './store.ts';
import { StoreError, storeError } from './store-error.ts';

/** Items written at once: beyond this the disk is the limit. */
const WRITE_LIMIT = 16;
const DEFAULT_PAGE_SIZE = 200;

export interface Prepared {
  readonly pages: number;
  readonly items: number;
  /** Items whose end is on disk: from a former run, or delivered from known results. */
  readonly done: number;
  /** Items that get the result of another row, once it exists. */
  readonly following: number;
  /** False if the tree already had the same items of the same manifests: its published files are still valid. */
  readonly changed: boolean;
}

interface PrepareOptions {
  readonly pageSize?: number;
  /** Results of earlier campaigns. */
  readonly known?: Known;
}

export type Items = AsyncIterable<AssignedItem> | Iterable<AssignedItem>;

/**
 * An existing record is kept if input and options are the same, whatever its state: finished items stay finished, and a
 * submitted job is not submitted again, even if the Temporal database is lost. With another input or other options the
 * item starts again.
 * @throws StoreError also `STORE_DUPLICATE_ID`, `STORE_RECORD_UNREADABLE`
 */
export async function prepareCampaign(
  store: Store,
  campaign: CampaignHeader,
  items: Items,
  options: PrepareOptions = {},
): Promise<Prepared> {
  // The pages are about to change: until the end the campaign counts as not prepared.
  const former = await formerCampaign(store);
  await store.remove(PREPARED_CAMPAIGN);
  const laid = await layOut(store, items, options, 0);
  await removeOldPages(store, laid.pages);
  const { pages, items: count, counts } = laid;
  await writePreparedCampaign(store, { ...campaign, pages, items: count, counts });
  const manifests = JSON.stringify(campaign.manifestDigests);
  const same = former !== null && JSON.stringify(former.manifestDigests) === manifests;
  const { files, counts: _, ...prepared } = laid;
  return { ...prepared, changed: files > 0 || !same || former.items !== laid.items };
}

/**
 * Adds items to a running campaign: new pages after the existing ones, which stay unchanged because its workflow reads
 * them. Counts are those of the whole campaign; `done` and `following` those of the new items.
 */
export async function growCampaign(
  store: Store,
  former: PreparedCampaign,
  campaign: CampaignHeader,
  items: Items,
  options: PrepareOptions = {},
): Promise<Prepared> {
  const laid = await layOut(
    store,
    items,
    options,
    former.pages,
    await idsOf(store, former),
    former.counts,
  );
  const grown = { pages: laid.pages, items: former.items + laid.items };
  await writePreparedCampaign(store, { ...campaign, ...grown, counts: laid.counts });
  return { done: laid.done, following: laid.following, ...grown, changed: true };
}

interface LaidOut extends Omit<Prepared, 'changed'> {
  /** Inputs, results and records that had to be written. */
  readonly files: number;
  /** Of all pages. */
  readonly counts: RowCounts;
}

/** Writes the items and their pages, numbered from `firstPage`, except those in `there`. */
async function layOut(
  store: Store,
  items: Items,
  { pageSize = DEFAULT_PAGE_SIZE, known = nothingKnown }: PrepareOptions,
  firstPage: number,
  there: ReadonlySet<string> = new Set(),
  former?: RowCounts,
): Promise<LaidOut> {
  const counter = new RowCounter(former);
  const leaders = new Map<string, ItemRecord>();
  const laid = { pages: firstPage, items: 0, done: 0, following: 0, files: 0 };
  for await (const page of pagesOf(items, pageSize)) {
    const preparation = new ItemPreparation(store, known, leaders);
    const records = await preparePage(preparation, await newOf(preparation, page, there));
    const entries = records.map(pageEntry);
    if (entries.length === 0) continue;
    // One sync for the page instead of four per item: 10,000 items in seconds.
    await store.flush(preparation.written);
    await writePage(store, laid.pages, entries);
    counter.add(entries);
    laid.pages += 1;
    laid.items += entries.length;
    laid.done += entries.filter(({ done }) => done !== undefined).length;
    laid.following += entries.filter(({ follows }) => follows !== undefined).length;
    laid.files += preparation.written.length;
  }
  return { ...laid, counts: counter.counts };
}

async function newOf(
  preparation: ItemPreparation,
  page: readonly AssignedItem[],
  there: ReadonlySet<string>,
): Promise<readonly AssignedItem[]> {
  // Decided by the pages, not by the tree: items of an interrupted growth are not in any page yet.
  for (const item of page) if (there.has(item.id)) await preparation.meet(item);
  return page.filter(({ id }) => !there.has(id));
}

/** In manifest order. Rows of shared work are prepared one by one after the others: each may serve later ones. */
async function preparePage(
  preparation: ItemPreparation,
  page: readonly AssignedItem[],
): Promise<readonly ItemRecord[]> {
  const records = new Map<string, ItemRecord>();
  const prepare = async (item: AssignedItem): Promise<void> => {
    records.set(item.id, await preparation.prepare(item));
  };
  const alone = page.filter(({ share }) => share === undefined);
  await inParallel(alone, WRITE_LIMIT, prepare);
  for (const item of page) if (item.share) await prepare(item);
  return page.flatMap((item) => records.get(item.id) ?? []);
}

/** Also null when it is unreadable: it is about to be rewritten. */
async function formerCampaign(store: Store): Promise<PreparedCampaign | null> {
  try {
    return await readPreparedCampaign(store);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'STORE_RECORD_UNREADABLE') return null;
    throw error;
  }
}

async function* pagesOf(items: Items, size: number): AsyncGenerator<readonly AssignedItem[]> {
  const seen = new Set<string>();
  let page: AssignedItem[] = [];
  for await (const item of items) {
    if (seen.has(item.id)) throw duplicateId(item);
    seen.add(item.id);
    page.push(item);
    if (page.length === size) {
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

async function removeOldPages(store: Store, pages: number): Promise<void> {
  for await (const key of store.list(PAGES)) {
    if (key >= pageKey(pages)) await store.remove(key);
  }
}

function duplicateId(item: Item): StoreError {
  return storeError('STORE_DUPLICATE_ID', {
    id: item.id,
    file: item.source.file,
    line: item.source.line,
  });
}
