/** Damage in an output tree: no row is lost, each message names file and remedy, and the remedy works. */
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { verifyTree } from '../../src/report/verify.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { prepareRetry, surveyRetry } from '../../src/store/reopen.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import { PREPARED_CAMPAIGN } from '../../src/store/layout.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { entriesIn, expectCode } from '../store/store-expectations.ts';
import { CAMPAIGN, END, endItem, endedCampaign } from './a-campaign.ts';

const ITEMS = [aMolecule('ethanol'), aMolecule('water'), aSequence('p1')];
const PAGE = '.hundredfold/items-00000.json';
const RECORD = 'molecules/water/item.json';
const pages = { pageSize: 2 };

async function edit(store: Store, key: string, from: string, to: string): Promise<void> {
  const text = (await store.readText(key)) ?? '';
  expect(text).toContain(from);
  await store.write(key, text.replace(from, to));
}

const at = (store: Store, ...names: string[]) => join(store.location, ...names);

async function rowsOf(store: Store): Promise<string[][]> {
  const text = (await store.readText('items.csv')) ?? '';
  const rows = parse<Record<string, string>>(text, { columns: true });
  return rows.map(({ id = '', state = '', error_code: code = '' }) => [id, state, code]);
}

type Damage = readonly [what: string, damage: (store: Store) => Promise<unknown>, code: string];

/** Of water. */
const DAMAGES: readonly Damage[] = [
  [
    'the folder of another item copied over it',
    async (store) => {
      await rm(at(store, 'molecules/water'), { recursive: true });
      await cp(at(store, 'molecules/ethanol'), at(store, 'molecules/water'), { recursive: true });
    },
    'ITEM_RECORD_FOREIGN',
  ],
  [
    'the folder of an item of another campaign that has the same id',
    async (store) => {
      const input = { name: 'input.smi', text: 'O\n' };
      const other = await endedCampaign([aMolecule('water', { input })]);
      await rm(at(store, 'molecules/water'), { recursive: true });
      await rename(at(other, 'molecules/water'), at(store, 'molecules/water'));
    },
    'ITEM_RECORD_FOREIGN',
  ],
  ['a deleted item.json', (store) => store.remove(RECORD), 'STORE_MISSING'],
  [
    'a truncated item.json',
    async (store) => store.write(RECORD, ((await store.readText(RECORD)) ?? '').slice(0, 300)),
    'STORE_RECORD_UNREADABLE',
  ],
];

test.each(DAMAGES)(
  '%s is published as a failure, is not run again by retry, and is repaired by the remedy',
  async (_, damage, code) => {
    const store = await endedCampaign(ITEMS);
    await publishCampaign(store, END);
    await damage(store);
    const { items, damaged } = await publishCampaign(store, END);
    expect(items).toMatchObject({ total: 3, succeeded: 2, failed: 1 });
    expect((await rowsOf(store)).map(([id]) => id)).toEqual(['ethanol', 'water', 'p1']);
    expect(await rowsOf(store)).toContainEqual(['water', 'failed', code]);
    expect(damaged.find((text) => text.includes(RECORD))).toContain('hundredfold run');
    expect((await verifyTree(store)).faults).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining(RECORD) }),
    );

    const campaign = await readPreparedCampaign(store);
    if (campaign === null) throw new Error('not prepared');
    // `retry` says once, below all of them, what to do.
    expect((await surveyRetry(store, campaign, {})).unusable).toEqual([
      expect.not.stringContaining('hundredfold run'),
    ]);
    const water = { chosen: new Set(['water']), alone: new Set<string>() };
    await prepareRetry(store, campaign, water, END.startedAt);
    expect((await entriesIn(store, 0)).map(({ id }) => id)).toEqual(['ethanol', 'water']);

    // The item runs from the beginning, the others do not.
    if (code !== 'STORE_MISSING') await rm(at(store, 'molecules/water'), { recursive: true });
    const again = await prepareCampaign(store, CAMPAIGN, ITEMS, pages);
    expect([again.items, again.done]).toEqual([3, 2]);
    await endItem(store, aMolecule('water'), {});
    expect((await publishCampaign(store, END)).items.succeeded).toBe(3);
    expect((await verifyTree(store)).faults).toEqual([]);
  },
);

/** A page that lost a row, and a record that names another item: test/cli/damaged-tree.test.ts. */
test.each<[string, RegExp, ErrorCode, (store: Store) => Promise<unknown>]>([
  [
    'has a row twice',
    /list 1 of its rows twice/,
    'STORE_NOT_PREPARED',
    (store) => edit(store, PAGE, '"water"', '"ethanol"'),
  ],
  [
    'is truncated',
    /items-00000.json was changed or damaged/,
    'STORE_RECORD_UNREADABLE',
    (store) => store.write(PAGE, '[{"id":"etha'),
  ],
])('a page that %s is not published; the next run repairs it', async (_, words, code, damage) => {
  const store = await endedCampaign(ITEMS);
  await publishCampaign(store, END);
  await damage(store);
  const error = await expectCode(publishCampaign(store, END), code);
  expect(error.message).toMatch(words);
  expect(error.remedy).toContain('hundredfold run');
  expect((await verifyTree(store)).faults).toContainEqual(
    expect.objectContaining({ message: expect.stringMatching(words) }),
  );
  await prepareCampaign(store, CAMPAIGN, ITEMS, pages);
  expect((await publishCampaign(store, END)).items).toMatchObject({ total: 3, succeeded: 3 });
  expect((await verifyTree(store)).faults).toEqual([]);
});

test('a tree whose name leads out of a folder is not read: pull names a folder after it', async () => {
  const store = await endedCampaign(ITEMS);
  await edit(store, PREPARED_CAMPAIGN, `"${CAMPAIGN.name}"`, '"../../escaped"');
  await expectCode(readPreparedCampaign(store), 'STORE_RECORD_UNREADABLE');
});
