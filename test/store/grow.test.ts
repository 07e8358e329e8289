/** Rows that are added to a campaign while its workflow reads the existing pages. */
import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/domain/item.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { growCampaign, prepareCampaign } from '../../src/store/prepare.ts';
import { readPreparedCampaign, type PreparedCampaign } from '../../src/store/prepared-campaign.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from './an-item.ts';
import { entriesIn } from './store-expectations.ts';
import { temporaryStore } from './temporary-store.ts';

const CAMPAIGN = { name: 'night', manifestDigests: [], settings: {} };
const LONGER = { ...CAMPAIGN, manifestDigests: [{ file: 'b.csv', sha256: 'b'.repeat(64) }] };
const molecules = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => aMolecule(`m${n}`));

async function running(count: number): Promise<{ store: Store; former: PreparedCampaign }> {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, molecules(count), { pageSize: 2 });
  return { store, former: await campaignIn(store) };
}

async function campaignIn(store: Store): Promise<PreparedCampaign> {
  const campaign = await readPreparedCampaign(store);
  if (!campaign) throw new Error('not prepared');
  return campaign;
}

async function entries(store: Store) {
  const { pages } = await campaignIn(store);
  return (await Promise.all(Array.from({ length: pages }, (_, n) => entriesIn(store, n)))).flat();
}

const ids = async (store: Store) => (await entries(store)).map(({ id }) => id);

describe('growing a campaign', () => {
  test('appends pages, and records the new manifests', async () => {
    const { store, former } = await running(3);
    const more = [...molecules(5), aSequence('p')];
    expect(await growCampaign(store, former, LONGER, more, { pageSize: 2 })).toEqual({
      pages: 4,
      items: 6,
      done: 0,
      following: 0,
      changed: true,
    });
    expect(await campaignIn(store)).toMatchObject({ ...LONGER, pages: 4, items: 6 });
    expect(await ids(store)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'p']);
    expect((await readItem(store, 'sequence', 'p'))?.state).toBe('waiting');
  });

  test('does not change open items, including rows that are missing in the new manifest', async () => {
    const { store, former } = await running(3);
    const record = await readItem(store, 'molecule', 'm1');
    const job = { state: 'running', remoteId: 'h', address: 'host' } as const;
    if (record) await writeItem(store, { ...record, ...job });
    const changed = aMolecule('m1', { user: { note: 'new' } });
    await growCampaign(store, former, LONGER, [changed, aMolecule('new')]);
    expect(await ids(store)).toEqual(['m0', 'm1', 'm2', 'new']);
    expect(await readItem(store, 'molecule', 'm1')).toEqual({ ...record, ...job });
  });

  test.each([1, 2, 3, 4, 5])(
    'can be repeated after an interruption (%i), and loses no row',
    async (n) => {
      const { store, former } = await running(3);
      const more = [...molecules(3), ...['a', 'b', 'c', 'd'].map((id) => aMolecule(id))];
      const breaking = function* (): Generator<Item> {
        yield* more.slice(0, 2 + n);
        throw new Error('killed');
      };
      const growing = growCampaign(store, former, LONGER, breaking(), { pageSize: 1 });
      await expect(growing).rejects.toThrow('killed');
      expect(await campaignIn(store), 'what the workflow goes by').toEqual(former);
      await growCampaign(store, former, LONGER, more, { pageSize: 2 });
      expect(await ids(store)).toEqual(['m0', 'm1', 'm2', 'a', 'b', 'c', 'd']);
    },
  );

  test('includes a row whose folder exists from an earlier manifest', async () => {
    const store = await temporaryStore();
    await prepareCampaign(store, CAMPAIGN, molecules(3));
    await prepareCampaign(store, CAMPAIGN, molecules(2));
    await growCampaign(store, await campaignIn(store), LONGER, molecules(3));
    expect(await ids(store)).toEqual(['m0', 'm1', 'm2']);
  });

  test('does not list an item twice if the user removed its folder', async () => {
    const { store, former } = await running(2);
    await store.remove('molecules/m1/item.json');
    await growCampaign(store, former, LONGER, molecules(3));
    expect(await ids(store)).toEqual(['m0', 'm1', 'm2']);
  });
});
