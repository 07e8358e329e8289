/**
 * Lays a campaign's items out in the tree before the first workflow starts: inputs and records first,
 * then the pages, the campaign last. Interrupted anywhere it counts as not prepared and is repeated.
 */
import type { Item } from '../domain/item.ts';
import { inParallel } from './in-parallel.ts';
import { itemToDisk } from './item-format.ts';
import { optionsToDisk } from './item-options.ts';
import { waitingRecord, type ItemRecord } from './item-record.ts';
import { readItem, writeItem } from './item-store.ts';
import { ITEM_RECORD, PAGES, PREPARED_CAMPAIGN, itemFolder, itemKey, pageKey } from './layout.ts';
import {
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
  /** Items that a former run had brought to a final state, and that stay as they are. */
  readonly done: number;
  /** False when the tree held the same items of the same manifests already: what is published of them still holds. */
  readonly changed: boolean;
}

/**
 * A record that is there already is kept when input and options are the same, whatever its state:
 * what is done stays done, and a job that was submitted is not submitted again, even when the
 * Temporal database is lost. With another input or other options the item begins anew.
 * @throws StoreError also `STORE_DUPLICATE_ID`, `STORE_RECORD_UNREADABLE`
 */
export async function prepareCampaign(
  store: Store,
  campaign: Campaign,
  items: AsyncIterable<Item> | Iterable<Item>,
  pageSize: number = DEFAULT_PAGE_SIZE,
): Promise<Prepared> {
  // The pages are about to change: until the end this is not a prepared campaign.
  const former = await formerCampaign(store);
  await store.remove(PREPARED_CAMPAIGN);
  let pages = 0;
  let count = 0;
  let done = 0;
  let written = 0;
  for await (const page of pagesOf(items, pageSize)) {
    const { entries, files } = await preparePage(store, page);
    written += files;
    await writePage(store, pages, entries);
    pages += 1;
    count += entries.length;
    done += entries.filter((entry) => entry.done !== undefined).length;
  }
  await removeOldPages(store, pages);
  await writePreparedCampaign(store, { ...campaign, pages, items: count });
  const manifests = JSON.stringify(campaign.manifestDigests);
  const same = former !== null && JSON.stringify(former.manifestDigests) === manifests;
  return { pages, items: count, done, changed: written > 0 || !same || former.items !== count };
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

async function* pagesOf(
  items: AsyncIterable<Item> | Iterable<Item>,
  size: number,
): AsyncGenerator<readonly Item[]> {
  const seen = new Set<string>();
  let page: Item[] = [];
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

interface PreparedPage {
  readonly entries: readonly PageEntry[];
  /** Inputs and records that had to be written. */
  readonly files: number;
}

async function preparePage(store: Store, page: readonly Item[]): Promise<PreparedPage> {
  const written: string[] = [];
  const entries = new Map<string, PageEntry>();
  await inParallel(page, WRITE_LIMIT, async (item) => {
    const record = await prepareItem(store, item, written);
    entries.set(record.id, pageEntry(record));
  });
  // One trip to the disk for the page instead of four an item: 10,000 items in seconds.
  await store.flush(written);
  return { entries: page.flatMap((item) => entries.get(item.id) ?? []), files: written.length };
}

async function prepareItem(store: Store, item: Item, written: string[]): Promise<ItemRecord> {
  const fresh = waitingRecord(item);
  const former = await readItem(store, item.kind, item.id);
  const same = former !== null && isSameJob(former, fresh);
  if (former !== null && !same) await removeFormerFiles(store, fresh);
  const inputKey = itemKey(item.kind, item.id, item.input.name);
  if (!same || !(await store.exists(inputKey))) {
    await store.write(inputKey, item.input.text, { durable: false });
    written.push(inputKey);
  }
  const record = same ? withManifestRow(former, fresh) : begunAnew(former, fresh);
  // The record comes after the input: a record that is there vouches for its input.
  if (former === null || itemToDisk(record) !== itemToDisk(former)) {
    await writeItem(store, record, { durable: false });
    written.push(itemKey(item.kind, item.id, ITEM_RECORD));
  }
  return record;
}

/** Whether the service would compute the same thing. */
function isSameJob(former: ItemRecord, fresh: ItemRecord): boolean {
  const job = ({ input, options }: ItemRecord): string =>
    JSON.stringify([input.name, input.sha256, optionsToDisk(options)]);
  return job(former) === job(fresh);
}

/** For the budget it is another life of the same item, or its request would pass for one that was answered. */
function begunAnew(former: ItemRecord | null, fresh: ItemRecord): ItemRecord {
  return former === null ? fresh : { ...fresh, generation: former.generation + 1 };
}

/** What the manifest says beside the job itself may have been edited since: the newest counts. */
function withManifestRow(former: ItemRecord, fresh: ItemRecord): ItemRecord {
  const { email, title, source, row, user } = fresh;
  return { ...former, email, title, source, row, user };
}

/** Results of another input must not lie beside this one. The record goes on vouching till the end. */
async function removeFormerFiles(store: Store, item: ItemRecord): Promise<void> {
  const record = itemKey(item.kind, item.id, ITEM_RECORD);
  for await (const key of store.list(`${itemFolder(item.kind, item.id)}/`)) {
    if (key !== record) await store.remove(key);
  }
}

async function removeOldPages(store: Store, pages: number): Promise<void> {
  for await (const key of store.list(PAGES)) {
    if (key >= pageKey(pages)) await store.remove(key);
  }
}

function duplicateId(item: Item): StoreError {
  return new StoreError({
    code: 'STORE_DUPLICATE_ID',
    message: `The id "${item.id}" stands for two items (again in ${item.source.file}, line ${item.source.line}).`,
    remedy: 'Give every row of the campaign an id of its own.',
    retryable: false,
  });
}
