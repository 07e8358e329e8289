/**
 * Prepares a campaign's items in the tree before the first workflow starts: first inputs and records, then the pages,
 * the campaign last. If it is interrupted, the campaign counts as not prepared and this is repeated.
 */
import { type Item, type Options, isFinal, canSucceed } from '../domain/campaign.ts';
import { combineOptions, canShare } from '../kinds/registry.ts';
import {
  deliver,
  createDuplicateSource,
  LEADER_CHANGED,
  LEADER_GONE,
  type Source,
} from './deliver.ts';
import { runInParallel } from '../domain/process.ts';
import { type ItemRecord, serializeItem, readJobOptions } from './item-record.ts';
import { createWaitingRecord, serializeJob, readItem, writeItem } from './item-store.ts';
import {
  ITEM_RECORD,
  buildItemFolder,
  buildItemKey,
  buildPageKey,
  PAGES,
  PREPARED_CAMPAIGN,
} from './layout.ts';
import {
  type CampaignHeader,
  readIds,
  toPageEntry,
  type PreparedCampaign,
  readPreparedCampaign,
  addColumns,
  writePage,
  writePreparedCampaign,
} from './prepared-campaign.ts';
import { resetForNextRun } from './reopen.ts';
import { nullIfUnreadable, type Store } from './store.ts';

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
 * @throws StoreError also `STORE_RECORD_UNREADABLE`
 */
export async function prepareCampaign(
  store: Store,
  campaign: CampaignHeader,
  items: Items,
  options: PrepareOptions = {},
): Promise<Prepared> {
  // The pages are about to change: until the end the campaign counts as not prepared.
  // An unreadable one is about to be rewritten.
  const former = await readPreparedCampaign(store).catch(nullIfUnreadable);
  await store.remove(PREPARED_CAMPAIGN);
  const laid = await layOut(store, items, options, { pages: 0, columns: {} });
  await removeOldPages(store, laid.pages);
  const { files, columns, ...prepared } = laid;
  const { pages, items: count } = prepared;
  await writePreparedCampaign(store, { ...campaign, pages, items: count, columns });
  const manifests = JSON.stringify(campaign.manifestDigests);
  const same = former !== null && JSON.stringify(former.manifestDigests) === manifests;
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
  options: PrepareOptions,
): Promise<Prepared> {
  const laid = await layOut(store, items, options, former, await readIds(store, former));
  const grown = { pages: laid.pages, items: former.items + laid.items };
  await writePreparedCampaign(store, { ...campaign, ...grown, columns: laid.columns });
  return { done: laid.done, following: laid.following, ...grown, changed: true };
}

/** Writes the items and their pages, which follow the former ones, except those in `there`. */
async function layOut(
  store: Store,
  items: Items,
  { pageSize = DEFAULT_PAGE_SIZE, known = () => Promise.resolve(null) }: PrepareOptions,
  former: Pick<PreparedCampaign, 'pages' | 'columns'>,
  there: ReadonlySet<string> = new Set(),
) {
  const leaders = new Map<string, ItemRecord>();
  let { columns } = former;
  // `files`: inputs, results and records that had to be written.
  const laid = { pages: former.pages, items: 0, done: 0, following: 0, files: 0 };
  for await (const page of splitPages(items, pageSize)) {
    const preparation = new ItemPreparation(store, known, leaders);
    const records = await preparePage(preparation, await filterNew(preparation, page, there));
    const entries = records.map(toPageEntry);
    if (entries.length === 0) continue;
    // One sync for the page instead of four per item: 10,000 items in seconds.
    await store.flush(preparation.written);
    await writePage(store, laid.pages, entries);
    columns = addColumns(columns, records);
    laid.pages += 1;
    laid.items += entries.length;
    laid.done += records.filter(({ state }) => isFinal(state)).length;
    laid.following += entries.filter(({ follows }) => follows !== undefined).length;
    laid.files += preparation.written.length;
  }
  return { ...laid, columns };
}

async function filterNew(
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
  await runInParallel(alone, WRITE_LIMIT, prepare);
  for (const item of page) if (item.share) await prepare(item);
  return page.flatMap((item) => records.get(item.id) ?? []);
}

async function* splitPages(items: Items, size: number): AsyncGenerator<readonly AssignedItem[]> {
  let page: AssignedItem[] = [];
  for await (const item of items) {
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
    if (key >= buildPageKey(pages)) await store.remove(key);
  }
}

/** An item, with its share of work that several rows request. */
export interface AssignedItem extends Item {
  readonly share?: Share;
}

interface Share {
  /** Id of the first row that requests this work: it may be this one. */
  readonly leader: string;
  /** What all of the rows request together. */
  readonly options: Options;
}

/** A result of an earlier campaign for this item, if there is one. */
export type Known = (record: ItemRecord) => Promise<Source | null>;

/**
 * Prepares one item in the tree: its input and its record. Known results are not requested again: a record of an
 * earlier run, the job of another row, a result of an earlier campaign.
 */
class ItemPreparation {
  /** Keys that have to be flushed. */
  readonly written: string[] = [];
  readonly #store: Store;
  readonly #known: Known;
  /** By the id of the first row: the item whose job currently serves the others. */
  readonly #leaders: Map<string, ItemRecord>;

  constructor(store: Store, known: Known, leaders: Map<string, ItemRecord>) {
    this.#store = store;
    this.#known = known;
    this.#leaders = leaders;
  }

  /** An item that is already in the campaign and stays unchanged; it may serve others. */
  async meet({ kind, id, share }: AssignedItem): Promise<void> {
    const record = share ? await readItem(this.#store, kind, id) : null;
    if (record !== null && share) await this.#mayLead(share, record);
  }

  async prepare(item: AssignedItem): Promise<ItemRecord> {
    const { fresh, onDisk, former, same } = await readFormer(this.#store, item);
    if (former !== null && same === null) await this.#removeFormerFiles(fresh);
    await this.#writeInput(item, same !== null);
    const record =
      same && !isFollowing(same)
        ? withManifestRow(same, fresh)
        : await this.#begun(renewRecord(former, fresh, same !== null), item.share);
    if (item.share) await this.#mayLead(item.share, record);
    // The record is written after the input and the files: an existing record guarantees that they are there.
    if (onDisk === null || serializeItem(record) !== serializeItem(onDisk)) {
      await writeItem(this.#store, record, { durable: false });
      this.written.push(buildItemKey(item.kind, item.id, ITEM_RECORD));
    }
    return record;
  }

  async #writeInput({ kind, id, input }: Item, same: boolean): Promise<void> {
    const { original } = input;
    for (const { name, text } of original ? [input, original] : [input]) {
      const key = buildItemKey(kind, id, name);
      if (same && (await this.#store.exists(key))) continue;
      await this.#store.write(key, text, { durable: false });
      this.written.push(key);
    }
  }

  /** The record of an item that has no job yet: served by a known result, or left to wait for one. */
  async #begun(record: ItemRecord, share: Share | undefined): Promise<ItemRecord> {
    // Its job is fixed: the result of another job must not replace it.
    if (record.adopted) return record;
    const leader = share && this.#leaders.get(share.leader);
    if (leader && canServe(leader, record)) {
      const served = await this.#servedBy(leader, record);
      if (served) return served;
      // Its files were edited: the rows after this one cannot use it either.
      this.#leaders.delete(share.leader);
    }
    const source = await this.#known(record);
    const delivered = source && (await deliver(this.#store, record, source, this.written));
    if (delivered) return delivered;
    // The row's own options except for predictors: a row wrongly taken for the same work changes nothing.
    return share
      ? { ...record, jobOptions: combineOptions(record.options, share.options) }
      : record;
  }

  /** Null when the files of the other differ from its record. */
  async #servedBy(leader: ItemRecord, record: ItemRecord): Promise<ItemRecord | null> {
    if (leader.state !== 'succeeded')
      return { ...record, resultFrom: { type: 'duplicate', id: leader.id } };
    return deliver(this.#store, record, createDuplicateSource(this.#store, leader), this.written);
  }

  /** A row with its own job or result may serve later rows, if the row before it does not. */
  async #mayLead(share: Share, record: ItemRecord): Promise<void> {
    const leader = this.#leaders.get(share.leader);
    if (leader && canServe(leader, record)) return;
    const own = isFollowing(record) ? await this.#followedBy(record) : record;
    if (own) this.#leaders.set(share.leader, own);
  }

  /** The item that this one follows: an item never follows a follower. */
  async #followedBy({ kind, resultFrom }: ItemRecord): Promise<ItemRecord | null> {
    return resultFrom ? readItem(this.#store, kind, resultFrom.id) : null;
  }

  /** Results of another input must not remain in the folder. The record is kept until it is replaced. */
  async #removeFormerFiles(item: ItemRecord): Promise<void> {
    const record = buildItemKey(item.kind, item.id, ITEM_RECORD);
    for await (const key of this.#store.list(`${buildItemFolder(item.kind, item.id)}/`)) {
      if (key !== record) await this.#store.remove(key);
    }
  }
}

/**
 * The item waits for the result of a row that may have been removed since, or it failed because the record or a file of
 * that row was missing or changed: this is checked each time.
 */
export function isFollowing({ state, resultFrom, error }: ItemRecord): boolean {
  if (resultFrom?.type !== 'duplicate') return false;
  return !isFinal(state) || [LEADER_GONE, LEADER_CHANGED].some((code) => code === error?.code);
}

/** For the budget, a new generation of the same item; otherwise its request would count as already answered. */
function renewRecord(former: ItemRecord | null, fresh: ItemRecord, same: boolean): ItemRecord {
  if (former === null) return fresh;
  return { ...fresh, generation: former.generation + (same ? 0 : 1) };
}

/** Whether the job of the one provides what the other requests. A failed one is left to `retry`. */
function canServe(leader: ItemRecord, { work, options }: ItemRecord): boolean {
  return (
    canSucceed(leader.state) && leader.work === work && canShare(readJobOptions(leader), options)
  );
}

/** A row as it would be new, and what an earlier run has left of it; `same`: if the service would compute the same thing. */
export async function readFormer(store: Store, item: Item) {
  const fresh = createWaitingRecord(item);
  const onDisk = await readItem(store, item.kind, item.id);
  const former = onDisk && resetForNextRun(onDisk, new Date().toISOString());
  const same = former && serializeJob(former) === serializeJob(fresh) ? former : null;
  return { fresh, onDisk, former, same };
}

/** The manifest's other columns may have been edited since: the newest values count. */
function withManifestRow(former: ItemRecord, fresh: ItemRecord): ItemRecord {
  const { email, title, source, row, user } = fresh;
  return { ...former, email, title, source, row, user };
}
