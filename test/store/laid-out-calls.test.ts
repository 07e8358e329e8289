/** What laying out a new item costs the file system. */
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { aSequence } from './an-item.ts';
import { countedReads } from './counted-reads.ts';
import { expectCode } from './store-expectations.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { temporaryStore } from './temporary-store.ts';

const CAMPAIGN = { name: 'night', manifestDigests: [], settings: {} };
const rows = (count: number) => Array.from({ length: count }, (_, n) => aSequence(`s-${n}`));

test('records are looked up in an existing tree, but not in a new one', async () => {
  const { store, records } = countedReads(await temporaryStore());
  await prepareCampaign(store, CAMPAIGN, rows(20));
  expect(records).toEqual([]);
  expect(await readItem(store, 'sequence', 's-19')).toMatchObject({ state: 'waiting' });
  records.length = 0;
  expect(await prepareCampaign(store, CAMPAIGN, rows(21))).toMatchObject({ items: 21 });
  expect(records).toHaveLength(21);
});

test('a link where the folder of a new item is expected is refused', async () => {
  const folder = await temporaryFolder();
  const store = await openFileStore(folder);
  const elsewhere = await temporaryFolder();
  await mkdir(join(folder, 'sequences'));
  await symlink(elsewhere, join(folder, 'sequences', 's-3'));
  await expectCode(prepareCampaign(store, CAMPAIGN, rows(5)), 'STORE_BAD_KEY');
  await expectCode(store.write('sequences/s-3/x', 'x', { newFolder: true }), 'STORE_BAD_KEY');
});
