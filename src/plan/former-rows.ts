/**
 * Finds the record of a row in the campaign's tree. With `trusted` pages, rows of a page that no workflow has begun are
 * taken from the page, without reading their records. Pages and rows have the same order: each page is read once.
 */
import type { Item } from '../domain/item.ts';
import { waitingRecord, type ItemRecord } from '../store/item-record.ts';
import { jobDigest, readItem } from '../store/item-store.ts';
import {
  readPage,
  readPreparedCampaign,
  type PageEntry,
  type PreparedCampaign,
} from '../store/prepared-campaign.ts';
import { reachedPages, type PageFilter } from '../store/reached-pages.ts';
import type { Store } from '../store/store.ts';

export class FormerRows {
  readonly #tree: Store;
  readonly #trusted: boolean;
  #pages: Pages | null = null;

  constructor(tree: Store, trusted: boolean) {
    this.#tree = tree;
    this.#trusted = trusted;
  }

  /** @throws StoreError `STORE_RECORD_UNREADABLE`, `ITEM_RECORD_FOREIGN` */
  async find(item: Item): Promise<ItemRecord | null> {
    const entry = this.#trusted ? await this.#untouched(item) : null;
    return entry === null ? readItem(this.#tree, item.kind, item.id) : recordOf(item, entry);
  }

  /** Null if the record has to be read: its page has begun, the row has changed, or the order differs. */
  async #untouched(item: Item): Promise<PageEntry | null> {
    this.#pages ??= await Pages.open(this.#tree);
    const entry = await this.#pages.find(item.id);
    const same = entry?.kind === item.kind && entry.asks === jobDigest(waitingRecord(item));
    return entry !== null && same ? entry : null;
  }
}

function recordOf(item: Item, { sends, follows }: PageEntry): ItemRecord {
  const record = waitingRecord(item);
  if (follows !== undefined) return { ...record, resultFrom: { type: 'duplicate', id: follows } };
  return sends ? { ...record, jobOptions: sends.options } : record;
}

class Pages {
  readonly #tree: Store;
  readonly #campaign: PreparedCampaign | null;
  readonly #isReached: PageFilter;
  #next = 0;
  /** Of the page that was read last, if no workflow has begun it. */
  #entries: ReadonlyMap<string, PageEntry | null> = new Map();

  private constructor(tree: Store, campaign: PreparedCampaign | null, isReached: PageFilter) {
    this.#tree = tree;
    this.#campaign = campaign;
    this.#isReached = isReached;
  }

  static async open(tree: Store): Promise<Pages> {
    const campaign = await readPreparedCampaign(tree);
    return new Pages(tree, campaign, await reachedPages(tree, campaign ?? {}));
  }

  async find(id: string): Promise<PageEntry | null> {
    let found = this.#entries.get(id);
    if (found === undefined && this.#next < (this.#campaign?.pages ?? 0)) {
      const page = this.#next;
      this.#next += 1;
      const isReached = this.#isReached(page);
      const entries = await readPage(this.#tree, page);
      this.#entries = new Map(entries.map((entry) => [entry.id, isReached ? null : entry]));
      found = this.#entries.get(id);
    }
    return found ?? null;
  }
}
