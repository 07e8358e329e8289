/** Damage in an output tree: no row is lost, each message names file and remedy, and the remedy works. */
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { publishCampaign } from '../../src/report/publish.ts';
import { isPublished } from '../../src/report/published-campaign.ts';
import { treeFaults } from '../../src/report/verify/tree.ts';
import { readItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { prepareRetry } from '../../src/store/prepare-retry.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import { surveyRetry } from '../../src/store/retry-survey.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { entriesIn, expectCode } from '../store/store-expectations.ts';
import { CAMPAIGN, END, endItem, endedCampaign } from './a-campaign.ts';

const ITEMS = [aMolecule('ethanol'), aMolecule('water'), aSequence('p1')];
const PAGE = '.hundredfold/items-00000.json';

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

/** [what, damage, its items and their code] */
const DAMAGES: readonly (readonly [
  string,
  (store: Store) => Promise<unknown>,
  readonly string[],
  string,
])[] = [
  [
    'a changed id in item.json',
    (store) => edit(store, 'molecules/water/item.json', '"id": "water"', '"id": "steam"'),
    ['water'],
    'ITEM_RECORD_FOREIGN',
  ],
  [
    'the folder of another item copied over it',
    async (store) => {
      await rm(at(store, 'molecules/water'), { recursive: true });
      await cp(at(store, 'molecules/ethanol'), at(store, 'molecules/water'), { recursive: true });
    },
    ['water'],
    'ITEM_RECORD_FOREIGN',
  ],
  [
    'two folders swapped',
    async (store) => {
      await rename(at(store, 'molecules/water'), at(store, 'molecules/x'));
      await rename(at(store, 'molecules/ethanol'), at(store, 'molecules/water'));
      await rename(at(store, 'molecules/x'), at(store, 'molecules/ethanol'));
    },
    ['ethanol', 'water'],
    'ITEM_RECORD_FOREIGN',
  ],
  [
    'the folder of an item of another campaign that has the same id',
    async (store) => {
      const other = await endedCampaign([
        aMolecule('water', { input: { name: 'input.smi', text: 'O\n' } }),
      ]);
      await rm(at(store, 'molecules/water'), { recursive: true });
      await rename(at(other, 'molecules/water'), at(store, 'molecules/water'));
    },
    ['water'],
    'ITEM_RECORD_FOREIGN',
  ],
  [
    'a deleted item.json',
    (store) => store.remove('molecules/water/item.json'),
    ['water'],
    'STORE_MISSING',
  ],
  [
    'a truncated item.json',
    async (store) => {
      const text = (await store.readText('molecules/water/item.json')) ?? '';
      await store.write('molecules/water/item.json', text.slice(0, 300));
    },
    ['water'],
    'STORE_RECORD_UNREADABLE',
  ],
];

test.each(DAMAGES)(
  '%s is published as a failure, is not run again by retry, and is repaired by the remedy',
  async (_, damage, ids, code) => {
    const store = await endedCampaign(ITEMS);
    await publishCampaign(store, END);
    await damage(store);
    expect(await isPublished(store.location)).toBe(false);
    const { items, damaged } = await publishCampaign(store, END);
    expect(items).toMatchObject({ total: 3, succeeded: 3 - ids.length, failed: ids.length });
    expect((await rowsOf(store)).map(([id]) => id)).toEqual(['ethanol', 'water', 'p1']);
    const violations = await treeFaults(store);
    for (const id of ids) {
      expect(await rowsOf(store)).toContainEqual([id, 'failed', code]);
      const sentence = damaged.find((text) => text.includes(`molecules/${id}/item.json`));
      expect(sentence).toContain('hundredfold run');
      expect(violations).toContainEqual(expect.stringContaining(`molecules/${id}/item.json`));
    }

    const campaign = await readPreparedCampaign(store);
    if (campaign === null) throw new Error('not prepared');
    const survey = await surveyRetry(store, campaign, { type: 'all' });
    expect(survey.unusable).toHaveLength(ids.length);
    await prepareRetry(store, campaign, new Set(ids), END.startedAt);
    expect((await entriesIn(store, 0)).map(({ id }) => id)).toEqual(['ethanol', 'water']);
    expect((await publishCampaign(store, END)).items.failed).toBe(ids.length);

    // The item runs from the beginning, the others do not.
    if (code !== 'STORE_MISSING') {
      for (const id of ids) await rm(at(store, 'molecules', id), { recursive: true });
    }
    const again = await prepareCampaign(store, CAMPAIGN, ITEMS, { pageSize: 2 });
    expect([again.items, again.done]).toEqual([3, 3 - ids.length]);
    for (const item of ITEMS) if (ids.includes(item.id)) await endItem(store, item, {});
    expect((await publishCampaign(store, END)).items.succeeded).toBe(3);
    expect(await treeFaults(store)).toEqual([]);
  },
);

test('a record that names another item stops the next run before it changes anything', async () => {
  const store = await endedCampaign(ITEMS);
  await edit(store, 'molecules/water/item.json', '"id": "water"', '"id": "steam"');
  const { message, remedy } = await expectCode(
    prepareCampaign(store, CAMPAIGN, ITEMS),
    'ITEM_RECORD_FOREIGN',
  );
  expect(message).toContain('molecules/water/item.json is the record of molecule steam');
  expect(remedy).toContain('remove that folder');
  await edit(store, 'molecules/water/item.json', '"id": "steam"', '"id": "water"');
  expect(await prepareCampaign(store, CAMPAIGN, ITEMS)).toMatchObject({ items: 3, done: 3 });
  expect((await readItem(store, 'molecule', 'water'))?.remoteId).toBe('job-water');
});

describe('a page of the campaign', () => {
  test.each([
    [
      'that lost a row',
      /its pages list 2 of its 3 rows; no page has molecules\/water/,
      'STORE_NOT_PREPARED',
      async (store: Store) => {
        const rows = JSON.parse((await store.readText(PAGE)) ?? '') as { id: string }[];
        await store.write(PAGE, JSON.stringify(rows.filter(({ id }) => id !== 'water')));
      },
    ],
    [
      'that has a row twice',
      /list 1 of its rows twice/,
      'STORE_NOT_PREPARED',
      (store: Store) => edit(store, PAGE, '"water"', '"ethanol"'),
    ],
    [
      'that is missing',
      /items-00000.json is missing/,
      'STORE_NOT_PREPARED',
      (store: Store) => store.remove(PAGE),
    ],
    [
      'that is truncated',
      /items-00000.json was changed or damaged/,
      'STORE_RECORD_UNREADABLE',
      (store: Store) => store.write(PAGE, '[{"id":"etha'),
    ],
  ] as const)('%s is not published; the next run repairs it', async (_, words, code, damage) => {
    const store = await endedCampaign(ITEMS);
    await publishCampaign(store, END);
    await damage(store);
    const error = await expectCode(publishCampaign(store, END), code);
    expect(error.message).toMatch(words);
    expect(error.remedy).toContain('hundredfold run');
    expect(await treeFaults(store)).toContainEqual(expect.stringMatching(words));
    await prepareCampaign(store, CAMPAIGN, ITEMS, { pageSize: 2 });
    expect((await publishCampaign(store, END)).items).toMatchObject({ total: 3, succeeded: 3 });
    expect(await treeFaults(store)).toEqual([]);
  });
});
