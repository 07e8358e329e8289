/** A campaign whose ended items are reopened, from its output tree alone. */
import { describe, expect, test } from 'vitest';
import { deliverDuplicates } from '../../src/store/deliver.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { prepareRetry, type Selection, surveyRetry } from '../../src/store/reopen.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from './an-item.ts';
import { allEntries, CAMPAIGN, campaignIn, changeRecord, recordIn } from './store-expectations.ts';
import { temporaryStore } from './temporary-store.ts';

const AT = '2026-11-22T08:00:00.000Z';
const ITEMS = [
  aMolecule('good'),
  aMolecule('bad'),
  aSequence('lost'),
  aMolecule('held'),
  aSequence('stopped'),
  aMolecule('open'),
];
const failure = (code: string) => ({ code, message: 'why' });
const ENDS: Readonly<Record<string, Partial<ItemRecord>>> = {
  good: { state: 'succeeded', remoteId: 'j0' },
  bad: { state: 'failed', error: failure('JOB_FAILED'), remoteId: 'j1', address: 'a' },
  lost: { state: 'failed', error: failure('STORE_DIGEST_MISMATCH'), remoteId: 'j2', address: 'a' },
  held: { state: 'held', error: failure('SUBMIT_UNSURE') },
  stopped: { state: 'cancelled', error: failure('CANCELLED') },
  open: { state: 'running', remoteId: 'j5', address: 'a' },
};

async function aTree(): Promise<Store> {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, ITEMS, { pageSize: 4 });
  for (const { kind, id } of ITEMS) await changeRecord(store, kind, id, ENDS[id] ?? {});
  return store;
}

const survey = async (store: Store, selection: Selection) =>
  surveyRetry(store, await campaignIn(store), selection);
const reopen = async (
  store: Store,
  ids: Iterable<string>,
  alone: ReadonlySet<string> = new Set(),
) => prepareRetry(store, await campaignIn(store), { chosen: new Set(ids), alone }, AT);
const deliver = async (store: Store) => deliverDuplicates(store, await campaignIn(store));

const ALL: Selection = {};
const FAILED: Selection = { failed: true };
const these = (...items: string[]): Selection => ({ items });

describe('the items of a retry', () => {
  test.each([
    ['all that did not succeed', ALL, ['bad', 'held', 'lost', 'stopped']],
    ['failed ones', FAILED, ['bad', 'lost']],
    ['those that are named', these('held', 'bad'), ['bad', 'held']],
    ['none if the named item is open', these('open'), []],
  ])('are %s', async (_, selection, ids) => {
    const { chosen, open } = await survey(await aTree(), selection);
    expect([...chosen].sort()).toEqual(ids);
    expect(open).toBe(1);
  });

  test('are counted by their end and by the way in which they are retried', async () => {
    expect(await survey(await aTree(), ALL)).toMatchObject({
      states: { failed: 2, held: 1, cancelled: 1 },
      ways: { ask: 2, resend: 2, anew: 0 },
      mayBeThere: 1,
      unusable: [],
      services: new Set(['molecules', 'predictions']),
    });
  });

  test('are all refused if a named one cannot be run again', async () => {
    await expect(survey(await aTree(), these('bad', 'good', 'nobody'))).rejects.toMatchObject({
      code: 'ITEM_NOT_RETRYABLE',
      exitCode: 2,
      message: 'good is succeeded. nobody is not an item of night.',
    });
  });

  test.each([
    ['its input was changed by hand', 'molecules/bad/input.smi', 'CCN\n', /was changed/],
    ['its record is damaged', 'molecules/bad/item.json', '{"id":', /is not an item record/],
  ])('omit an item if %s, and refuse it if it is named', async (_, key, text, why) => {
    const store = await aTree();
    await store.write(key, text);
    const { chosen, unusable } = await survey(store, ALL);
    expect([...chosen].sort()).toEqual(['held', 'lost', 'stopped']);
    expect(unusable).toEqual([expect.stringMatching(why)]);
    expect((await survey(store, these('held'))).unusable).toEqual([]);
    await expect(survey(store, these('bad'))).rejects.toThrow(why);
  });
});

describe('reopening items', () => {
  const BAD = { id: 'bad', kind: 'molecule', generation: 1 };

  test('gives the workflows the ended items, and the generations of the others', async () => {
    const store = await aTree();
    const campaign = await campaignIn(store);
    await reopen(store, ['bad', 'lost', 'held']);
    expect(await allEntries(store)).toEqual([
      { id: 'good', kind: 'molecule', done: 'succeeded' },
      BAD,
      { id: 'lost', kind: 'sequence', generation: 1 },
      { id: 'held', kind: 'molecule', generation: 1 },
      { id: 'stopped', kind: 'sequence', done: 'cancelled' },
      { id: 'open', kind: 'molecule' },
    ]);
    expect(await campaignIn(store)).toEqual(campaign);
  });

  test('again after an interruption reopens each item once', async () => {
    const store = await aTree();
    await reopen(store, ['bad']);
    const { chosen, open, reopenedBefore } = await survey(store, ALL);
    expect(chosen.has('bad')).toBe(false);
    expect([open, reopenedBefore]).toEqual([2, 1]);
    await reopen(store, [...chosen, 'bad']);
    const once = { generation: 1, remoteId: 'j1' };
    expect(await recordIn(store, 'molecule', 'bad')).toMatchObject(once);
  });

  test('is kept when `run` prepares the campaign from its manifest', async () => {
    const store = await aTree();
    await reopen(store, ['bad']);
    const opened = await recordIn(store, 'molecule', 'bad');
    const again = await prepareCampaign(store, CAMPAIGN, ITEMS, { pageSize: 4 });
    expect(again).toMatchObject({ changed: false });
    expect(await recordIn(store, 'molecule', 'bad')).toEqual(opened);
    expect((await allEntries(store))[1]).toEqual(BAD);
  });

  test('does not change an item without a record: it is published as failed', async () => {
    const store = await aTree();
    await store.remove('molecules/bad/item.json');
    await reopen(store, ['bad', 'held']);
    const entry = { id: 'bad', kind: 'molecule', done: 'failed' };
    expect((await allEntries(store))[1]).toEqual(entry);
    expect(await store.exists('molecules/bad/item.json')).toBe(false);
  });
});

describe('items that share a job', () => {
  const GROUP = ['leader', 'one', 'two'].map((id) => aSequence(id, { canonical: 'the same' }));

  /** After the leader's job failed. */
  async function group(): Promise<Store> {
    const store = await temporaryStore();
    const shared = GROUP.map((item) => ({
      ...item,
      share: { leader: 'leader', options: item.options },
    }));
    await prepareCampaign(store, CAMPAIGN, shared);
    const error = failure('JOB_FAILED');
    const job = { remoteId: 'job', address: 'a', finishedAt: AT };
    await changeRecord(store, 'sequence', 'leader', { state: 'failed', error, ...job });
    await deliver(store);
    return store;
  }

  /** The way of leader, one and two once these are reopened. */
  async function opened(store: Store, selection: Selection) {
    const found = await survey(store, selection);
    await reopen(store, found.chosen, found.alone);
    const ways = (await allEntries(store)).map(({ done, follows }) => done ?? follows ?? 'own job');
    return { found, ways };
  }

  test.each<[string, (store: Store) => Promise<unknown>]>([
    ['is missing', (store) => store.remove('sequences/leader/item.json')],
    ['cannot be run', (store) => store.write('sequences/leader/input.fasta', 'changed by hand')],
  ])('a follower whose leader %s gets its own job', async (_, spoil) => {
    const store = await group();
    await spoil(store);
    const { found, ways } = await opened(store, ALL);
    expect(found).toMatchObject({ following: 0, alone: new Set(['one', 'two']) });
    expect(ways).toEqual(['failed', 'own job', 'own job']);
  });
});
