/** How many rows of each kind a campaign has, as its header says and as its pages say. */
import { expect, test } from 'vitest';
import { growCampaign, prepareCampaign } from '../../src/store/prepare.ts';
import { prepareRetry } from '../../src/store/prepare-retry.ts';
import {
  readPage,
  readPreparedCampaign,
  type PreparedCampaign,
  RowCounter,
} from '../../src/store/prepared-campaign.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from './an-item.ts';
import { temporaryStore } from './temporary-store.ts';

const CAMPAIGN = { name: 'night', manifestDigests: [], settings: {} };
const NONE = { molecule: 0, sequence: 0, alignment: 0, shifts: 0 };

async function prepared(store: Store): Promise<PreparedCampaign> {
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  return campaign;
}

/** Of the campaign as it is on disk, and of its pages. */
async function bothCounts(store: Store) {
  const { counts, pages } = await prepared(store);
  const counter = new RowCounter();
  for (let page = 0; page < pages; page += 1) counter.add(await readPage(store, page));
  return [counts, counter.counts];
}

test('the counts are those of the pages, after each change', async () => {
  const store = await temporaryStore();
  const rows = [aMolecule('m1'), aSequence('s1'), aSequence('s2')];
  await prepareCampaign(store, CAMPAIGN, rows, { pageSize: 2 });
  const first = { items: { ...NONE, molecule: 1, sequence: 2 }, following: NONE, adopted: 0 };
  expect(await bothCounts(store)).toEqual([first, first]);
  await growCampaign(store, await prepared(store), CAMPAIGN, [...rows, aSequence('s3')]);
  const grown = { ...first, items: { ...NONE, molecule: 1, sequence: 3 } };
  expect(await bothCounts(store)).toEqual([grown, grown]);
  await prepareRetry(store, await prepared(store), new Set(['s1']), '2026-11-25T00:00:00.000Z');
  expect(await bothCounts(store)).toEqual([grown, grown]);
});
