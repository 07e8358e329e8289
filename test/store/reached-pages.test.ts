/** Pages that no workflow has begun: what is read of a campaign with many rows of which a few were run. */
import { expect, test } from 'vitest';
import { itemLines, type ItemFilter } from '../../src/campaigns/item-lines.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { chargesInTree } from '../../src/store/charges-in-tree.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareRetry } from '../../src/store/prepare-retry.ts';
import { growCampaign, prepareCampaign } from '../../src/store/prepare.ts';
import { restoreItems } from '../../src/store/restore.ts';
import { readPreparedCampaign, type PreparedCampaign } from '../../src/store/prepared-campaign.ts';
import { markAllReached, markReached, reachedPages } from '../../src/store/reached-pages.ts';
import type { Store } from '../../src/store/store.ts';
import { END } from '../report/a-campaign.ts';
import { aSequence } from './an-item.ts';
import { countedReads } from './counted-reads.ts';
import { collected } from './store-expectations.ts';
import { temporaryStore } from './temporary-store.ts';

const CAMPAIGN = { name: 'night', manifestDigests: [], settings: {} };
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => aSequence(`s-${from + n}`));
const AT = new Date().toISOString();
const MARKED = { pageSize: 10, marksPages: true } as const;

async function fail(store: Store, id: string): Promise<void> {
  const record = await readItem(store, 'sequence', id);
  if (record === null) throw new Error(`${id} was not prepared`);
  const error = { code: 'JOB_FAILED', message: 'no' };
  const submittedAt = new Date().toISOString();
  const sent = { remoteId: `job-${id}`, address: 'host', submittedAt };
  await writeItem(store, { ...record, ...sent, state: 'failed', error });
}

async function prepared(store: Store): Promise<PreparedCampaign> {
  const campaign = await readPreparedCampaign(store);
  if (campaign === null) throw new Error('not prepared');
  return campaign;
}

/** The ids of these items, and the number of records that were read for them. */
async function listed(store: Store, filter: ItemFilter): Promise<readonly [string[], number]> {
  const counted = countedReads(store);
  const tree = { store: counted.store, campaign: await prepared(store) };
  const lines = await collected(itemLines(tree, new Map(), filter));
  return [lines.map(({ id }) => id), counted.records.length];
}

test('a search for a state or a code reads only the records of pages that were begun', async () => {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, rows(0, 100), MARKED);
  await markReached(store, 1);
  await fail(store, 's-12');
  expect(await listed(store, { state: 'failed' })).toEqual([['s-12'], 10]);
  expect(await listed(store, { code: 'JOB_FAILED' })).toEqual([['s-12'], 10]);
  expect((await listed(store, { state: 'waiting' }))[0]).toHaveLength(99);
  expect((await listed(store, {}))[0]).toHaveLength(100);
  // A publication may end any item, as `cancelled`.
  await fail(store, 's-55');
  await markAllReached(store);
  expect(await listed(store, { state: 'failed' })).toEqual([['s-12', 's-55'], 100]);
});

test('a search for a state in a published campaign reads only the records of pages that have it', async () => {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, rows(0, 100), MARKED);
  await markReached(store, 1);
  await fail(store, 's-12');
  await fail(store, 's-55');
  await publishCampaign(store, END);
  expect(await listed(store, { state: 'failed' })).toEqual([['s-12', 's-55'], 20]);
  expect(await listed(store, { state: 'failed', code: 'OTHER' })).toEqual([[], 20]);
  expect(await listed(store, { state: 'held' })).toEqual([[], 0]);
  expect((await listed(store, { state: 'waiting' }))[0]).toHaveLength(98);
});

test('after a publication, records that may have changed are read again', async () => {
  const store = await temporaryStore();
  const published = async (): Promise<Store> => {
    await prepareCampaign(store, CAMPAIGN, rows(0, 30), { pageSize: 10 });
    await fail(store, 's-5');
    await publishCampaign(store, END);
    expect((await listed(store, { state: 'failed' }))[1]).toBe(10);
    return store;
  };
  await prepareRetry(await published(), await prepared(store), new Set(['s-5']), AT);
  expect(await listed(store, { state: 'failed' })).toEqual([[], 30]);
  await prepareCampaign(await published(), CAMPAIGN, rows(0, 30));
  expect(await listed(store, { state: 'failed' })).toEqual([['s-5'], 30]);
  // While a campaign is open, its workers change records.
  await publishCampaign(await published(), { ...END, endedAt: null });
  expect(await listed(store, { state: 'failed' })).toEqual([['s-5'], 30]);
});

test('jobs that count against a token are looked up only in pages that were begun', async () => {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, rows(0, 100), MARKED);
  await markReached(store, 3);
  await fail(store, 's-30');
  const counted = countedReads(store);
  const jobs = await chargesInTree(counted.store, 'host', 3_600_000);
  expect(jobs.map(({ remoteId }) => remoteId)).toEqual(['job-s-30']);
  // The ten of the page, and that of the job once more.
  expect(counted.records).toHaveLength(11);
});

test('in a tree without marks, every record is read', async () => {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, rows(0, 30), { pageSize: 10 });
  await fail(store, 's-25');
  expect(await listed(store, { state: 'failed' })).toEqual([['s-25'], 30]);
});

test('items that an earlier run began are marked when they are prepared again, also in other pages', async () => {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, rows(0, 30), { pageSize: 10 });
  await fail(store, 's-5');
  // Twenty rows before the others.
  const moved = [...rows(30, 50), ...rows(0, 30)];
  await prepareCampaign(store, CAMPAIGN, moved, MARKED);
  const isReached = await reachedPages(store, await prepared(store));
  expect([0, 1, 2, 3, 4].filter(isReached)).toEqual([2]);
  expect(await listed(store, { state: 'failed' })).toEqual([['s-5'], 10]);
});

test('a campaign that grows keeps its marks', async () => {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, rows(0, 20), MARKED);
  await markReached(store, 0);
  await growCampaign(store, await prepared(store), CAMPAIGN, rows(0, 40), { pageSize: 10 });
  const isReached = await reachedPages(store, await prepared(store));
  expect([0, 1, 2, 3].filter(isReached)).toEqual([0]);
});

test('the search for missing records of a running campaign can be stopped', async () => {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, rows(0, 20), MARKED);
  const stop = AbortSignal.abort(new Error('stopped'));
  await expect(restoreItems(store, await prepared(store), rows(0, 20), stop)).rejects.toThrow(
    'stopped',
  );
});
