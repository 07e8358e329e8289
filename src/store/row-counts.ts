/**
 * How many rows of a campaign are of each kind, and need a submission. Kept with the prepared campaign: to count them
 * anew, every page must be read, which takes ten seconds for a million rows.
 */
import {
  readPage,
  type PageEntry,
  type PreparedCampaign,
  type RowCounts,
} from './prepared-campaign.ts';
import type { Store } from './store.ts';

export class RowCounter {
  readonly #items = { molecule: 0, sequence: 0, alignment: 0, shifts: 0 };
  readonly #following = { molecule: 0, sequence: 0, alignment: 0, shifts: 0 };
  #adopted = 0;

  /** @param former of other pages */
  constructor(former?: RowCounts) {
    if (former === undefined) return;
    Object.assign(this.#items, former.items);
    Object.assign(this.#following, former.following);
    this.#adopted = former.adopted;
  }

  add(entries: readonly PageEntry[]): void {
    for (const { kind, follows, adopts } of entries) {
      this.#items[kind] += 1;
      if ((follows ?? adopts) !== undefined) this.#following[kind] += 1;
      if (adopts !== undefined) this.#adopted += 1;
    }
  }

  get counts(): RowCounts {
    return {
      items: { ...this.#items },
      following: { ...this.#following },
      adopted: this.#adopted,
    };
  }
}

export async function countRows(store: Store, campaign: PreparedCampaign): Promise<RowCounts> {
  if (campaign.counts) return campaign.counts;
  const counter = new RowCounter();
  for (let page = 0; page < campaign.pages; page += 1) counter.add(await readPage(store, page));
  return counter.counts;
}
