/** Campaigns that are prepared, prepared again and grown: what their trees contain. */
import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/domain/campaign.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem } from '../../src/store/item-store.ts';
import { growCampaign, prepareCampaign } from '../../src/store/prepare.ts';
import { countRows, readPage, readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from './an-item.ts';
import {
  allEntries,
  CAMPAIGN as PLAIN,
  campaignIn,
  changeRecord,
  expectCode,
  recordIn,
} from './store-expectations.ts';
import { temporaryStore } from './temporary-store.ts';

const CAMPAIGN = {
  ...PLAIN,
  manifestDigests: [{ file: 'batch.csv', sha256: 'a'.repeat(64) }],
  settings: { services: { molecules: { url: 'http://localhost' } } },
};
const LONGER = { ...PLAIN, manifestDigests: [{ file: 'b.csv', sha256: 'b'.repeat(64) }] };
const molecules = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => aMolecule(`m${n}`));

async function prepared(items: readonly Item[], pageSize = 2): Promise<Store> {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, items, { pageSize });
  return store;
}

const ids = async (store: Store) => (await allEntries(store)).map(({ id }) => id);

function* untilKilled(items: readonly Item[]): Generator<Item> {
  yield* items;
  throw new Error('killed');
}

describe('preparing a campaign', () => {
  test('writes inputs, records, pages in manifest order, and the campaign', async () => {
    const store = await temporaryStore();
    const items = [...molecules(4), aSequence('p1')];
    expect(await prepareCampaign(store, CAMPAIGN, items, { pageSize: 2 })).toEqual({
      pages: 3,
      items: 5,
      done: 0,
      following: 0,
      changed: true,
    });
    expect(await readPreparedCampaign(store)).toMatchObject({ ...CAMPAIGN, pages: 3, items: 5 });
    const pages = [await readPage(store, 0), await readPage(store, 1), await readPage(store, 2)];
    const asks = expect.stringMatching(/^[0-9a-f]{12}$/) as string;
    expect(pages.flat()).toEqual(items.map(({ id, kind }) => ({ id, kind, asks })));
    for (const { id, kind, input } of items) {
      const record = await recordIn(store, kind, id);
      expect(record.state).toBe('waiting');
      const folder = kind === 'molecule' ? 'molecules' : 'sequences';
      const kept = await store.digest(`${folder}/${id}/${input.name}`);
      expect(record.input).toMatchObject({ name: input.name, ...kept });
    }
  });

  test('leaves the campaign not prepared if it is interrupted, and can be repeated safely', async () => {
    const store = await prepared(molecules(3));
    const again = prepareCampaign(store, CAMPAIGN, untilKilled(molecules(5)), { pageSize: 2 });
    await expect(again).rejects.toThrow('killed');
    expect(await readPreparedCampaign(store)).toBeNull();
    await prepareCampaign(store, CAMPAIGN, molecules(7), { pageSize: 2 });
    expect(await readPreparedCampaign(store)).toMatchObject({ pages: 4, items: 7 });
  });
});

describe('preparing a campaign again', () => {
  /** With a file, as the activities leave it. */
  async function change(store: Store, id: string, changes: Partial<ItemRecord>) {
    const { sha256, bytes } = await store.write(`molecules/${id}/record.json`, '{"hash_id":"h"}');
    const files = { 'record.json': { bytes, sha256 } };
    return changeRecord(store, 'molecule', id, { files, ...changes });
  }

  test('keeps finished items, with their files, and running jobs, so that nothing is submitted twice', async () => {
    const store = await prepared(molecules(4));
    const done = await change(store, 'm1', { state: 'succeeded', remoteId: 'h' });
    const failure = { code: 'JOB_FAILED', message: 'no' };
    await change(store, 'm2', { state: 'failed', error: failure });
    const attempts = [{ at: '2026-11-21T00:00:00Z', outcome: 'accepted', remoteId: 'h1' }] as const;
    const running = await change(store, 'm3', { state: 'running', remoteId: 'h1', attempts });
    expect(await prepareCampaign(store, CAMPAIGN, molecules(4))).toMatchObject({ done: 2 });
    expect(await readItem(store, 'molecule', 'm1')).toEqual(done);
    expect(await readItem(store, 'molecule', 'm3')).toEqual(running);
    expect(await store.exists('molecules/m1/record.json')).toBe(true);
    expect((await allEntries(store)).slice(0, 3)).toEqual([
      { id: 'm0', kind: 'molecule' },
      { id: 'm1', kind: 'molecule', done: 'succeeded' },
      { id: 'm2', kind: 'molecule', done: 'failed' },
    ]);
  });

  test("applies the user's edits outside the job itself", async () => {
    const store = await prepared(molecules(1));
    await change(store, 'm0', { state: 'succeeded' });
    const edited = aMolecule('m0', { user: { project: 'new' }, title: 'Ethanol' });
    expect(await prepareCampaign(store, CAMPAIGN, [edited])).toMatchObject({ done: 1 });
    const { user, title } = edited;
    expect(await recordIn(store, 'molecule', 'm0')).toMatchObject({
      state: 'succeeded',
      user,
      title,
    });
  });

  const { options } = aMolecule('m0');
  test.each<[string, Partial<Item>]>([
    ['input', { input: { name: 'input.smi', text: 'CCN\n' } }],
    ['options', { options: { ...options, chargeMethod: 'gas' } }],
  ])('starts the item again with another %s, without its previous results', async (_, changes) => {
    const store = await prepared(molecules(1));
    await change(store, 'm0', { state: 'succeeded' });
    const changed = aMolecule('m0', changes);
    expect(await prepareCampaign(store, CAMPAIGN, [changed])).toMatchObject({ done: 0 });
    const fresh = { state: 'waiting', files: {}, generation: 1, jobNumber: 0 };
    expect(await recordIn(store, 'molecule', 'm0')).toMatchObject(fresh);
    expect(await store.readText('molecules/m0/input.smi')).toBe(changed.input.text);
    expect(await store.exists('molecules/m0/record.json')).toBe(false);
  });

  const withColumn = [aMolecule('m0', { user: { a: 'b' } }), ...molecules(3).slice(1)];
  test.each([
    ['nothing', molecules(3), CAMPAIGN, false],
    ['only the settings', molecules(3), { ...CAMPAIGN, settings: {} }, false],
    ['a row more', molecules(4), CAMPAIGN, true],
    ['a row less', molecules(2), CAMPAIGN, true],
    ['a column of the user', withColumn, CAMPAIGN, true],
    ['another manifest', molecules(3), { ...CAMPAIGN, manifestDigests: [] }, true],
  ])('detects whether %s has changed', async (_, items, campaign, changed) => {
    const store = await prepared(molecules(3));
    expect(await prepareCampaign(store, campaign, items)).toMatchObject({ changed });
  });

  test('restores a removed input, and removes the pages of a longer manifest', async () => {
    const store = await prepared(molecules(6));
    await store.remove('molecules/m0/input.smi');
    await prepareCampaign(store, CAMPAIGN, molecules(2), { pageSize: 2 });
    expect(await store.readText('molecules/m0/input.smi')).toBe('CCO\n');
    await expectCode(readPage(store, 1), 'STORE_NOT_PREPARED');
  });

  test('does not overwrite an unreadable record, which may belong to a charged job', async () => {
    const store = await temporaryStore();
    await store.write('molecules/m0/item.json', '{"state": "running", "remote_');
    const prepare = prepareCampaign(store, CAMPAIGN, molecules(1));
    await expectCode(prepare, 'STORE_RECORD_UNREADABLE');
    expect(await store.readText('molecules/m0/item.json')).toContain('running');
  });
});

describe('growing a campaign while its workflow reads the existing pages', () => {
  const grow = async (store: Store, items: Iterable<Item>, pageSize = 2) =>
    growCampaign(store, await campaignIn(store), LONGER, items, { pageSize });

  test('does not change open items, including rows that are missing in the new manifest', async () => {
    const store = await prepared(molecules(3));
    const job = { state: 'running', remoteId: 'h', address: 'host' } as const;
    const record = await changeRecord(store, 'molecule', 'm1', job);
    await grow(store, [aMolecule('m1', { user: { note: 'new' } }), aMolecule('new')]);
    expect(await ids(store)).toEqual(['m0', 'm1', 'm2', 'new']);
    expect(await readItem(store, 'molecule', 'm1')).toEqual(record);
  });
});

test('rows are counted by kind, with those that need no job', async () => {
  const adopts = { remoteId: 'elsewhere', inputKnown: true };
  const store = await prepared([aMolecule('m1'), aSequence('s1'), aSequence('s2', { adopts })]);
  expect(await countRows(store, await campaignIn(store))).toEqual({
    items: { molecule: 1, sequence: 2 },
    following: { sequence: 1 },
    adopted: 1,
  });
});
