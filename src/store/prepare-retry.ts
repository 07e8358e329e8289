/**
 * Reopens ended items of a campaign, from its output tree alone: the manifest's files may be gone. Each record is
 * written whole before the page that lists it; after an interruption, reopened items are open and the rest is
 * unchanged.
 */
import { inParallel } from './in-parallel.ts';
import { readListed, writeItem } from './item-store.ts';
import { ITEM_RECORD, itemKey } from './layout.ts';
import {
  pageEntry,
  readPage,
  writePage,
  writePreparedCampaign,
  type PageEntry,
  type PreparedCampaign,
  RowCounter,
} from './prepared-campaign.ts';
import { canBeRetried, reopened } from './reopen.ts';
import type { Store } from './store.ts';
import { damagedRecordIsNone } from './store-error.ts';

/** Items written at once, as in `prepare.ts`. */
const WRITE_LIMIT = 16;

interface PreparedRetry {
  /** Items whose end is kept. */
  readonly done: number;
}

/** `chosen`: ids of items to reopen; `alone`: the chosen items that no longer share a job. `at`: ISO 8601, UTC. */
export async function prepareRetry(
  store: Store,
  campaign: PreparedCampaign,
  chosen: ReadonlySet<string>,
  at: string,
  alone: ReadonlySet<string> = new Set(),
): Promise<PreparedRetry> {
  let done = 0;
  const counter = new RowCounter();
  for (let page = 0; page < campaign.pages; page += 1) {
    const former = await readPage(store, page);
    const written: string[] = [];
    const entries = new Map<string, PageEntry>();
    await inParallel(former, WRITE_LIMIT, async (entry) => {
      const again = chosen.has(entry.id) ? { at, alone: alone.has(entry.id) } : null;
      entries.set(entry.id, await open(store, entry, again, written));
    });
    await store.flush(written);
    const current = former.flatMap(({ id }) => entries.get(id) ?? []);
    await writePage(store, page, current);
    counter.add(current);
    done += current.filter((entry) => entry.done !== undefined).length;
  }
  await writePreparedCampaign(store, { ...campaign, counts: counter.counts });
  return { done };
}

/** The item's line in its page, from its current record. */
async function open(
  store: Store,
  entry: PageEntry,
  again: { readonly at: string; readonly alone: boolean } | null,
  written: string[],
): Promise<PageEntry> {
  const { id, kind, asks, done = 'failed' } = entry;
  const record = await readListed(store, entry).catch(damagedRecordIsNone);
  // Published as failed, with the reason; there is nothing to send.
  if (record === null) return { id, kind, done, asks };
  if (again === null || !canBeRetried(record.state)) return pageEntry(record);
  const { resultFrom, ...own } = reopened(record, again.at);
  const opened = resultFrom && !again.alone ? { ...own, resultFrom } : own;
  await writeItem(store, opened, { durable: false });
  written.push(itemKey(kind, id, ITEM_RECORD));
  return pageEntry(opened);
}
