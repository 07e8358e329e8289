/** Items of a running campaign whose folders were removed. */
import { expect, test } from 'vitest';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { waitingRecord } from '../../src/store/item-record.ts';
import { ITEM_RECORD, itemKey } from '../../src/store/layout.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { readPreparedCampaign, type PreparedCampaign } from '../../src/store/prepared-campaign.ts';
import { restoreItems } from '../../src/store/restore.ts';
import type { Store } from '../../src/store/store.ts';
import { aSequence } from './an-item.ts';
import { temporaryStore } from './temporary-store.ts';

const CAMPAIGN = { name: 'night', manifestDigests: [], settings: {} };
const ROWS = ['s1', 's2', 's3'].map((id) => aSequence(id));

async function prepared(): Promise<readonly [Store, PreparedCampaign]> {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, ROWS, { pageSize: 2 });
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  return [store, campaign];
}

async function removeItem(store: Store, id: string): Promise<void> {
  for await (const key of store.list(`sequences/${id}/`)) await store.remove(key);
}

test('are written again with their input; the others stay as they are', async () => {
  const [store, campaign] = await prepared();
  const record = await readItem(store, 'sequence', 's1');
  if (record === null) throw new Error('no record');
  await writeItem(store, { ...record, state: 'running', remoteId: 'job-1' });
  await removeItem(store, 's3');
  // A further row of the manifest is not on any page yet.
  await restoreItems(store, campaign, [...ROWS, aSequence('s4')]);
  expect(await readItem(store, 'sequence', 's1')).toMatchObject({ remoteId: 'job-1' });
  expect(await readItem(store, 'sequence', 's3')).toMatchObject({ state: 'waiting' });
  expect(await store.exists('sequences/s3/input.fasta')).toBe(true);
  expect(await readItem(store, 'sequence', 's4')).toBeNull();
});

test('are found although an interrupted growth has left other records', async () => {
  const [store, campaign] = await prepared();
  await writeItem(store, waitingRecord(aSequence('s9')));
  await removeItem(store, 's2');
  await restoreItems(store, campaign, ROWS);
  expect(await store.exists(itemKey('sequence', 's2', ITEM_RECORD))).toBe(true);
});

test('the search for missing records can be stopped', async () => {
  const [store, campaign] = await prepared();
  const stop = AbortSignal.abort(new Error('stopped'));
  await expect(restoreItems(store, campaign, ROWS, stop)).rejects.toThrow('stopped');
});
