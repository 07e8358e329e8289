/**
 * The rows of one service that no lane has begun: read page by page from the store, by the first lane from the front, by
 * all others from the end, until both meet. Rows that are added later come after that.
 */
import type { ItemOfPage } from './activity-types.ts';
import type { UnreadCarried } from './messages.ts';

/** Where rows are taken. */
export type Side = 'front' | 'end';

/** What is read from both sides. */
interface Between {
  /** Rows of pages from this one on are not in it. */
  readonly through: number;
  /** Rows of pages from this one on were taken from the end … */
  readonly pages: number;
  /** … and of the page before all but the first N; null: none. */
  readonly left: number | null;
}

type Load = (page: number) => Promise<readonly ItemOfPage[]>;

export class Unread {
  #pages: number;
  #page: number;
  /** Rows of this page that were taken from the front. */
  #offset: number;
  #between: Between | null;
  /** Of the last page that was read. */
  #perPage = 0;
  readonly #load: Load;
  readonly #loaded = new Map<number, readonly ItemOfPage[]>();

  constructor(pages: number, { page, offset, between }: UnreadCarried, load: Load) {
    this.#pages = pages;
    this.#page = page;
    this.#offset = offset;
    this.#between = between ?? null;
    this.#load = load;
  }

  carried(): UnreadCarried {
    const between = this.#between;
    return { page: this.#page, offset: this.#offset, ...(between && { between }) };
  }

  /** The campaign has more pages now. */
  extend(pages: number): void {
    this.#pages = Math.max(pages, this.#pages);
  }

  get isEmpty(): boolean {
    return this.#page >= this.#pages;
  }

  /** About how many rows: the last page may have fewer. */
  get rows(): number {
    return Math.max(0, (this.#pages - this.#page) * this.#perPage - this.#offset);
  }

  /** So that `next` has rows, if there are any. */
  async load(side: Side): Promise<void> {
    const page = this.#findPage(side);
    if (this.isEmpty || this.#loaded.has(page)) return;
    const entries = await this.#load(page);
    // The other lane may have read it meanwhile.
    if (this.#loaded.has(page)) return;
    this.#perPage = entries.length;
    this.#loaded.set(page, entries);
  }

  /** The next rows on this side, in the order in which they are taken, as far as they are loaded. */
  next(side: Side, most: number): readonly ItemOfPage[] {
    const page = this.#findPage(side);
    const entries = this.#loaded.get(page);
    if (this.isEmpty || !entries) return [];
    const from = page === this.#page ? this.#offset : 0;
    const rows = entries.slice(from, this.#countLeft(page));
    if (rows.length === 0) this.take(side, 0);
    return side === 'front' ? rows.slice(0, most) : rows.reverse().slice(0, most);
  }

  /** So many of what `next` has just given. */
  take(side: Side, count: number): void {
    if (side === 'front') this.#offset += count;
    else this.#between = { ...this.#stretch, left: this.#countLeft(this.#lastPage) - count };
    this.#turn();
  }

  get #stretch(): Between {
    return this.#between ?? { through: this.#pages, pages: this.#pages, left: null };
  }

  get #lastPage(): number {
    return this.#stretch.pages - 1;
  }

  #findPage(side: Side): number {
    return side === 'front' ? this.#page : this.#lastPage;
  }

  /** How many rows at the beginning of a page, which is loaded, were not taken from the end. */
  #countLeft(page: number): number {
    const { pages, left } = this.#stretch;
    const all = this.#loaded.get(page)?.length ?? 0;
    return page === pages - 1 ? (left ?? all) : all;
  }

  /** Leaves pages of which nothing is left. */
  #turn(): void {
    const last = this.#lastPage;
    if (last > this.#page && this.#between?.left === 0) this.#leaveLast(last);
    const isRead = this.#loaded.has(this.#page) && this.#offset >= this.#countLeft(this.#page);
    if (!isRead) return;
    this.#loaded.delete(this.#page);
    this.#offset = 0;
    this.#page += 1;
    const { pages, through } = this.#stretch;
    if (this.#page < pages) return;
    this.#page = through;
    this.#between = null;
  }

  #leaveLast(last: number): void {
    this.#loaded.delete(last);
    this.#between = { ...this.#stretch, pages: last, left: null };
  }
}
