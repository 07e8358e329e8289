/** Trees whose item folders are in shards. */
import { expect, test } from 'vitest';
import { readItem } from '../../src/store/item-store.ts';
import { SHARDED, itemFolder, itemOf } from '../../src/store/layout.ts';
import { openStore } from '../../src/store/open-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { laidOutFor } from '../../src/store/shards.ts';
import { aSequence } from './an-item.ts';
import { collected } from './store-expectations.ts';
import { temporaryStore } from './temporary-store.ts';

const CAMPAIGN = { name: 'night', manifestDigests: [], settings: {} };
const SHARDS = { sharded: true };

// printf %s p1 | sha256sum | cut -c 1-2
test('the shard of an item is named after the SHA-256 of its id', () => {
  expect(itemFolder(SHARDS, 'sequence', 'p1')).toBe('sequences/f6/p1');
  expect(itemFolder(SHARDS, 'molecule', 'aspirin')).toBe('molecules/aa/aspirin');
});

test('the item of a file is determined by the layout of its tree', () => {
  const inShard = 'sequences/f6/p1/item.json';
  expect(itemOf(SHARDS, inShard)).toEqual({
    kind: 'sequence',
    id: 'p1',
    folder: 'sequences/f6/p1',
  });
  expect(itemOf({ sharded: false }, inShard)).toMatchObject({ id: 'f6', folder: 'sequences/f6' });
  expect(itemOf(SHARDS, 'sequences/f6/item.json')).toBeNull();
  expect(itemOf(SHARDS, 'tables/f6/p1/item.json')).toBeNull();
});

test('a new tree with many items is laid out in shards, also when it is opened again', async () => {
  const store = await laidOutFor(await temporaryStore(), 4, 3);
  await prepareCampaign(
    store,
    CAMPAIGN,
    ['p1', 'p2', 'p3', 'p4'].map((id) => aSequence(id)),
  );
  const again = await openStore(store.location, { create: false });
  const keys = await collected(again.list('sequences/'));
  expect(keys.filter((key) => key.endsWith('item.json'))).toEqual(
    ['p1', 'p2', 'p3', 'p4'].map((id) => `${itemFolder(SHARDS, 'sequence', id)}/item.json`).sort(),
  );
  expect(await readItem(again, 'sequence', 'p3')).toMatchObject({ id: 'p3', state: 'waiting' });
  expect(await again.readText(SHARDED)).toContain('SHA-256 of the id');
});

test('a tree keeps its layout when rows are added', async () => {
  const flat = await laidOutFor(await temporaryStore(), 3, 3);
  await prepareCampaign(flat, CAMPAIGN, [aSequence('p1')]);
  expect((await laidOutFor(flat, 1_000, 3)).sharded).toBe(false);
  const sharded = await laidOutFor(await temporaryStore(), 4, 3);
  expect((await laidOutFor(sharded, 1, 3)).sharded).toBe(true);
});

test('another tree at the same path is opened with its own layout', async () => {
  const store = await temporaryStore();
  const open = () => openStore(store.location, { create: false });
  expect((await open()).sharded).toBe(false);
  await laidOutFor(store, 4, 3);
  expect((await open()).sharded).toBe(true);
});
