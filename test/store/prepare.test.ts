import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/domain/item.ts';
import { digestOf } from '../../src/store/digest.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { readPage, readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from './an-item.ts';
import { expectCode } from './store-expectations.ts';
import { temporaryStore } from './temporary-store.ts';

const CAMPAIGN = {
  name: 'night',
  manifestDigests: [{ file: 'batch.csv', sha256: 'a'.repeat(64) }],
  settings: { services: { molecules: { url: 'http://localhost' } } },
};

async function emptyStore(): Promise<Store> {
  return temporaryStore();
}

function molecules(count: number): Item[] {
  return Array.from({ length: count }, (_, n) => aMolecule(`m${n}`));
}

/** Brings an item to a state, with a file, as the activities do. */
async function change(store: Store, id: string, changes: Partial<ItemRecord>): Promise<ItemRecord> {
  const { sha256, bytes } = await store.write(`molecules/${id}/record.json`, '{"hash_id":"h"}');
  const former = await readItem(store, 'molecule', id);
  if (former === null) throw new Error(`${id} was not prepared`);
  const record = { ...former, files: { 'record.json': { bytes, sha256 } }, ...changes };
  await writeItem(store, record);
  return record;
}

const asks = expect.stringMatching(/^[0-9a-f]{12}$/) as string;

describe('preparing a campaign', () => {
  test('writes inputs, records, pages in manifest order, and the campaign', async () => {
    const store = await emptyStore();
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
    const sent = ({ input, options }: Item) => {
      const { bytes, sha256 } = digestOf(input.text);
      return { input: { name: input.name, bytes, digest: sha256.slice(0, 12) }, options };
    };
    expect(pages.flat()).toEqual(
      items.map((item) => ({ id: item.id, kind: item.kind, sends: sent(item), asks })),
    );
    for (const { id, kind, input } of items) {
      const record = await readItem(store, kind, id);
      expect(record?.state).toBe('waiting');
      const folder = kind === 'molecule' ? 'molecules' : 'sequences';
      const kept = await store.digest(`${folder}/${id}/${input.name}`);
      expect(record?.input).toMatchObject({ name: input.name, ...kept });
    }
  });

  test('leaves the campaign not prepared if it is interrupted, and can be repeated safely', async () => {
    const store = await emptyStore();
    const breaking = function* (): Generator<Item> {
      yield* molecules(5);
      throw new Error('killed');
    };
    await prepareCampaign(store, CAMPAIGN, molecules(3), { pageSize: 2 });
    await expect(prepareCampaign(store, CAMPAIGN, breaking(), { pageSize: 2 })).rejects.toThrow(
      'killed',
    );
    expect(await readPreparedCampaign(store)).toBeNull();
    await prepareCampaign(store, CAMPAIGN, molecules(7), { pageSize: 2 });
    expect(await readPreparedCampaign(store)).toMatchObject({ pages: 4, items: 7 });
  });

  test('refuses two items with the same id', async () => {
    const items = [aMolecule('x'), aSequence('x')];
    const prepare = prepareCampaign(await emptyStore(), CAMPAIGN, items);
    expect((await expectCode(prepare, 'STORE_DUPLICATE_ID')).message).toContain('line 3');
  });
});

describe('preparing a campaign again', () => {
  test('keeps finished items, with their files, and reports this to the workflow', async () => {
    const store = await emptyStore();
    await prepareCampaign(store, CAMPAIGN, molecules(3));
    const done = await change(store, 'm1', { state: 'succeeded', remoteId: 'h' });
    const failure = { code: 'JOB_FAILED', message: 'no' };
    await change(store, 'm2', { state: 'failed', error: failure });
    expect(await prepareCampaign(store, CAMPAIGN, molecules(3))).toMatchObject({ done: 2 });
    expect(await readItem(store, 'molecule', 'm1')).toEqual(done);
    expect(await store.exists('molecules/m1/record.json')).toBe(true);
    expect(await readPage(store, 0)).toEqual([
      { id: 'm0', kind: 'molecule', sends: expect.anything() as unknown, asks },
      { id: 'm1', kind: 'molecule', done: 'succeeded', asks },
      { id: 'm2', kind: 'molecule', done: 'failed', asks },
    ]);
  });

  test('keeps a running job, so that nothing is submitted twice after a loss of Temporal’s database', async () => {
    const store = await emptyStore();
    await prepareCampaign(store, CAMPAIGN, molecules(1));
    const running = await change(store, 'm0', {
      state: 'running',
      remoteId: 'h1',
      attempts: [{ at: '2026-11-21T00:00:00Z', outcome: 'accepted', remoteId: 'h1' }],
    });
    await prepareCampaign(store, CAMPAIGN, molecules(1));
    expect(await readItem(store, 'molecule', 'm0')).toEqual(running);
  });

  test("applies the user's edits outside the job itself", async () => {
    const store = await emptyStore();
    await prepareCampaign(store, CAMPAIGN, molecules(1));
    await change(store, 'm0', { state: 'succeeded' });
    const edited = aMolecule('m0', { user: { project: 'new' }, title: 'Ethanol' });
    expect(await prepareCampaign(store, CAMPAIGN, [edited])).toMatchObject({ done: 1 });
    const record = await readItem(store, 'molecule', 'm0');
    expect(record).toMatchObject({ state: 'succeeded', user: edited.user, title: 'Ethanol' });
  });

  test.each([
    ['input', aMolecule('m0', { input: { name: 'input.smi', text: 'CCN\n' } })],
    [
      'options',
      aMolecule('m0', {
        options: { kind: 'molecule', chargeMethod: 'gas', netCharge: null, atomType: 'gaff2' },
      }),
    ],
  ])(
    'starts the item again with another %s, and removes its previous results',
    async (_, changed) => {
      const store = await emptyStore();
      await prepareCampaign(store, CAMPAIGN, molecules(1));
      await change(store, 'm0', { state: 'succeeded' });
      expect(await prepareCampaign(store, CAMPAIGN, [changed])).toMatchObject({ done: 0 });
      expect(await readItem(store, 'molecule', 'm0')).toMatchObject({
        state: 'waiting',
        files: {},
        generation: 1,
        jobNumber: 0,
      });
      expect(await store.readText('molecules/m0/input.smi')).toBe(changed.input.text);
      expect(await store.exists('molecules/m0/record.json')).toBe(false);
    },
  );

  test.each([
    ['nothing', molecules(3), CAMPAIGN, false],
    ['only the settings', molecules(3), { ...CAMPAIGN, settings: {} }, false],
    ['a row more', molecules(4), CAMPAIGN, true],
    ['a row less', molecules(2), CAMPAIGN, true],
    [
      'a column of the user',
      [aMolecule('m0', { user: { a: 'b' } }), ...molecules(3).slice(1)],
      CAMPAIGN,
      true,
    ],
    ['another manifest', molecules(3), { ...CAMPAIGN, manifestDigests: [] }, true],
  ])('detects whether %s has changed', async (_, items, campaign, changed) => {
    const store = await emptyStore();
    await prepareCampaign(store, CAMPAIGN, molecules(3));
    expect(await prepareCampaign(store, campaign, items)).toMatchObject({ changed });
  });

  test('restores a removed input, and removes the pages of a longer manifest', async () => {
    const store = await emptyStore();
    await prepareCampaign(store, CAMPAIGN, molecules(6), { pageSize: 2 });
    await store.remove('molecules/m0/input.smi');
    await prepareCampaign(store, CAMPAIGN, molecules(2), { pageSize: 2 });
    expect(await store.readText('molecules/m0/input.smi')).toBe('CCO\n');
    await expectCode(readPage(store, 1), 'STORE_NOT_PREPARED');
  });

  test('does not overwrite an unreadable record, which may belong to a charged job', async () => {
    const store = await emptyStore();
    await store.write('molecules/m0/item.json', '{"state": "running", "remote_');
    const prepare = prepareCampaign(store, CAMPAIGN, molecules(1));
    await expectCode(prepare, 'STORE_RECORD_UNREADABLE');
    expect(await store.readText('molecules/m0/item.json')).toContain('running');
  });
});
