/**
 * Lays a campaign's items out in the tree before the first workflow starts: inputs and records first,
 * then the pages, the campaign last. Interrupted anywhere it counts as not prepared and is repeated.
 */
import type { Item } from '../domain/item.ts';
import { inParallel } from './in-parallel.ts';
import type { ItemRecord } from './item-record.ts';
import { ITEM_RECORD, itemKey, PAGES, PREPARED_CAMPAIGN, pageKey } from './layout.ts';
import { ItemPreparation, type Known, type PlannedItem } from './prepare-item.ts';
import {
  idsOf,
  pageEntry,
  readPreparedCampaign,
  writePage,
  writePreparedCampaign,
  type Campaign,
  type PageEntry,
  type PreparedCampaign,
} from './prepared-campaign.ts';
import type { Store } from './store.ts';
import { StoreError } from './store-error.ts';

/** Items written at once: beyond this the disk is the limit (measured: docs/decisions.md). */
const WRITE_LIMIT = 16;
const DEFAULT_PAGE_SIZE = 200;

export interface Prepared {
  readonly pages: number;
  readonly items: number;
  /** Items whose end is on disk: of a former run, or delivered from what was known. */
  readonly done: number;
  /** Items that get the result of another row, once it is there. */
  readonly following: number;
  /** False when the tree held the same items of the same manifests already: what is published of them still holds. */
  readonly changed: boolean;
}

export interface PrepareOptions {
  readonly pageSize?: number;
  /** Results of earlier campaigns. */
  readonly known?: Known;
}

type Items = AsyncIterable<PlannedItem> | Iterable<PlannedItem>;

/**
 * A record that is there already is kept when input and options are the same, whatever its state:
 * what is done stays done, and a job that was submitted is not submitted again, even when the
 * Temporal database is lost. With another input or other options the item begins anew.
 * @throws StoreError also `STORE_DUPLICATE_ID`, `STORE_RECORD_UNREADABLE`
 */
export async function prepareCampaign(
  store: Store,
  campaign: Campaign,
  items: Items,
  options: PrepareOptions = {},
): Promise<Prepared> {
  // The pages are about to change: until the end this is not a prepared campaign.
  const former = await formerCampaign(store);
  await store.remove(PREPARED_CAMPAIGN);
  const laid = await layOut(store, items, options, 0);
  await removeOldPages(store, laid.pages);
  await writePreparedCampaign(store, { ...campaign, pages: laid.pages, items: laid.items });
  const manifests = JSON.stringify(campaign.manifestDigests);
  const same = former !== null && JSON.stringify(former.manifestDigests) === manifests;
  const { files, ...prepared } = laid;
  return { ...prepared, changed: files > 0 || !same || former.items !== laid.items };
}

/**
 * Adds items to a campaign that runs: pages after its own, which stay as they are, because its workflow reads them.
 * Counts are those of the whole campaign; `done` and `following` those of the new items.
 */
export async function growCampaign(
  store: Store,
  former: PreparedCampaign,
  campaign: Campaign,
  items: Items,
  options: PrepareOptions = {},
): Promise<Prepared> {
  const laid = await layOut(store, items, options, former.pages, await idsOf(store, former));
  const grown = { pages: laid.pages, items: former.items + laid.items };
  await writePreparedCampaign(store, { ...campaign, ...grown });
  return { done: laid.done, following: laid.following, ...grown, changed: true };
}

/**
 * Writes input and record anew of items whose record is gone from the tree of a campaign that runs: somebody has removed
 * their folders. Their workflows wait for that; without it they would wait for ever.
 */
export async function restoreItems(
  store: Store,
  former: PreparedCampaign,
  items: Items,
): Promise<void> {
  const there = await idsOf(store, former);
  const records = new Set<string>();
  for await (const key of store.list('')) if (key.endsWith(`/${ITEM_RECORD}`)) records.add(key);
  if (records.size >= there.size) return;
  // What runs has a job of its own: no result of another campaign is put in its place.
  const preparation = new ItemPreparation(store, nothingKnown, new Map());
  for await (const item of items) {
    if (!there.has(item.id)) continue;
    if (records.has(itemKey(item.kind, item.id, ITEM_RECORD))) await preparation.meet(item);
    else await preparation.prepare(item);
  }
  await store.flush(preparation.written);
}

interface LaidOut extends Omit<Prepared, 'changed'> {
  /** Inputs, results and records that had to be written. */
  readonly files: number;
}

/** Writes the items and their pages, numbered from `firstPage`; but for those that are `there`. */
async function layOut(
  store: Store,
  items: Items,
  { pageSize = DEFAULT_PAGE_SIZE, known = nothingKnown }: PrepareOptions,
  firstPage: number,
  there: ReadonlySet<string> = new Set(),
): Promise<LaidOut> {
  const leaders = new Map<string, ItemRecord>();
  const laid = { pages: firstPage, items: 0, done: 0, following: 0, files: 0 };
  for await (const page of pagesOf(items, pageSize)) {
    const preparation = new ItemPreparation(store, known, leaders);
    const entries = await preparePage(preparation, await newOf(preparation, page, there));
    if (entries.length === 0) continue;
    // One trip to the disk for the page instead of four an item: 10,000 items in seconds.
    await store.flush(preparation.written);
    await writePage(store, laid.pages, entries);
    laid.pages += 1;
    laid.items += entries.length;
    laid.done += entries.filter(({ done }) => done !== undefined).length;
    laid.following += entries.filter(({ follows }) => follows !== undefined).length;
    laid.files += preparation.written.length;
  }
  return laid;
}

async function newOf(
  preparation: ItemPreparation,
  page: readonly PlannedItem[],
  there: ReadonlySet<string>,
): Promise<readonly PlannedItem[]> {
  // By the pages and not by the tree: what an interrupted growth has laid out stands in none of them yet.
  for (const item of page) if (there.has(item.id)) await preparation.meet(item);
  return page.filter(({ id }) => !there.has(id));
}

const nothingKnown: Known = () => Promise.resolve(null);

/** In manifest order. Rows of shared work come one by one after the others: each may serve those after it. */
async function preparePage(
  preparation: ItemPreparation,
  page: readonly PlannedItem[],
): Promise<readonly PageEntry[]> {
  const entries = new Map<string, PageEntry>();
  const prepare = async (item: PlannedItem): Promise<void> => {
    const record = await preparation.prepare(item);
    entries.set(item.id, pageEntry(record));
  };
  const alone = page.filter(({ share }) => share === undefined);
  await inParallel(alone, WRITE_LIMIT, prepare);
  for (const item of page) if (item.share) await prepare(item);
  return page.flatMap((item) => entries.get(item.id) ?? []);
}

/** Null, too, when it cannot be read: it is about to be written anew. */
async function formerCampaign(store: Store): Promise<PreparedCampaign | null> {
  try {
    return await readPreparedCampaign(store);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'STORE_RECORD_UNREADABLE') return null;
    throw error;
  }
}

async function* pagesOf(items: Items, size: number): AsyncGenerator<readonly PlannedItem[]> {
  const seen = new Set<string>();
  let page: PlannedItem[] = [];
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
  return new StoreError({
    code: 'STORE_DUPLICATE_ID',
    message: `The id "${item.id}" is used for two items (again in ${item.source.file}, line ${item.source.line}).`,
    remedy: 'Give every row of the campaign a unique id.',
    retryable: false,
  });
}
