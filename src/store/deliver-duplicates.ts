/**
 * Delivers the result of a shared job to the rows that share it. Done when the campaign ends, from the tree alone:
 * nothing has to be kept consistent while it runs, and rows that a crash left out are found again.
 *
 * Rejected: at the end of each job, which must be kept consistent with crashes, cancels and added rows; a workflow for
 * each such row, 60 events that submit nothing.
 */
import type { StoreCode } from '../domain/error-codes/registry.ts';
import type { Kind } from '../domain/item.ts';
import { isFinal } from '../domain/states.ts';
import { deliver, duplicateOf, jobResultOf, LEADER_CHANGED, LEADER_GONE } from './deliver.ts';
import type { ItemRecord } from './item-record.ts';
import { readItem, writeItem } from './item-store.ts';
import { itemKey } from './layout.ts';
import { readPage, type PageEntry, type PreparedCampaign } from './prepared-campaign.ts';
import type { Store } from './store.ts';
import { damagedRecordIsNone } from './store-error.ts';

/** `beat` is called after each row. */
export async function deliverDuplicates(
  store: Store,
  campaign: PreparedCampaign,
  beat: () => void,
): Promise<void> {
  for (let page = 0; page < campaign.pages; page += 1) {
    for (const entry of await readPage(store, page)) {
      if (entry.follows === undefined) continue;
      await deliverTo(store, entry);
      beat();
    }
  }
}

async function deliverTo(store: Store, { kind, id, follows = '' }: PageEntry): Promise<void> {
  const record = await readable(store, kind, id);
  // Removed or damaged manually, and published as such; or delivered before.
  if (record === null || isFinal(record.state)) return;
  const leader = await readable(store, kind, follows);
  if (leader !== null && !isFinal(leader.state)) return;
  const written: string[] = [];
  const ended = await endOf(store, record, leader, written);
  await store.flush(written);
  await writeItem(store, ended);
}

/** A damaged record is published as such: it must not prevent the others from ending. */
function readable(store: Store, kind: Kind, id: string): Promise<ItemRecord | null> {
  return readItem(store, kind, id).catch(damagedRecordIsNone);
}

async function endOf(
  store: Store,
  record: ItemRecord,
  leader: ItemRecord | null,
  written: string[],
): Promise<ItemRecord> {
  const finishedAt = new Date().toISOString();
  const failed = (code: StoreCode, message: string): ItemRecord => ({
    ...record,
    state: 'failed',
    error: { code, message },
    finishedAt,
  });
  if (leader === null) return failed(LEADER_GONE, 'the item that shares its job is gone');
  if (leader.state === 'succeeded') {
    const delivered = await deliver(store, record, duplicateOf(store, leader), written);
    const why = `the files of ${leader.id} were changed, or are no result of this row`;
    return delivered ?? failed(LEADER_CHANGED, why);
  }
  // Files of an invalid result stay with the item that has the job.
  for (const name of Object.keys(record.files))
    await store.remove(itemKey(record.kind, record.id, name));
  return { ...record, ...jobResultOf(leader), files: {} };
}
