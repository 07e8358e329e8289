/** Results that are delivered to other rows: of a job that several rows share, and of earlier campaigns. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Predictor } from '../../src/kinds/vocabulary.ts';
import { loadPlugins } from '../../src/services/plugins/load.ts';
import {
  deliver,
  deliverDuplicates,
  createDuplicateSource,
  buildResultCacheFolder,
  type CacheQuery,
} from '../../src/store/deliver.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { createWaitingRecord, writeItem, computeWorkDigest } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { FILES, succeeded } from './a-result.ts';
import { aSequence } from './an-item.ts';
import { CAMPAIGN, campaignIn, changeRecord, recordIn } from './store-expectations.ts';
import { cacheBeside, damage, temporaryStore } from './temporary-store.ts';

const ENDED = { finishedAt: '2026-11-21T00:00:00.000Z' };
const CSV = FILES['result.csv'];

describe('the rows that share the job of another row', () => {
  const SAME = { canonical: 'residues' };
  const LEADER = aSequence('leader', SAME);
  const FOLLOWER = aSequence('follower', { ...SAME, user: { project: 'other' } });

  test('get the same files, and keep their own data', async () => {
    const store = await temporaryStore();
    const leader = await succeeded(store, LEADER);
    const written: string[] = [];
    const mine = createWaitingRecord(FOLLOWER);
    const { remoteId, files, finishedAt } = leader;
    expect(await deliver(store, mine, createDuplicateSource(store, leader), written)).toMatchObject(
      {
        id: 'follower',
        state: 'succeeded',
        user: { project: 'other' },
        attempts: [],
        remoteId,
        files,
        finishedAt,
        resultFrom: { type: 'duplicate', id: 'leader' },
      },
    );
    const keys = Object.keys(FILES).map((name) => `sequences/follower/${name}`);
    expect(written.sort()).toEqual(keys.sort());
    for (const [name, text] of Object.entries(FILES)) {
      expect(await store.readText(`sequences/follower/${name}`)).toBe(text);
      await damage(store, `sequences/follower/${name}`, 'edited');
      expect(await store.readText(`sequences/leader/${name}`), 'a file of its own').toBe(text);
    }
  });

  /** Leader and follower before the campaign ends, and what happened to the leader. */
  async function tree(end: (store: Store) => Promise<unknown>): Promise<Store> {
    const store = await temporaryStore();
    const share = { leader: 'leader', options: LEADER.options };
    const items = [LEADER, FOLLOWER].map((item) => ({ ...item, share }));
    expect(await prepareCampaign(store, CAMPAIGN, items)).toMatchObject({ following: 1 });
    await end(store);
    return store;
  }

  const delivered = async (store: Store): Promise<void> =>
    deliverDuplicates(store, await campaignIn(store));

  async function ended(store: Store): Promise<ItemRecord> {
    await delivered(store);
    return recordIn(store, 'sequence', 'follower');
  }

  const ending = (changes: Partial<ItemRecord>) => async (store: Store) =>
    changeRecord(store, 'sequence', 'leader', { address: 'host', ...changes });

  test.each([
    ['failed', 'JOB_FAILED'],
    ['held', 'SUBMIT_UNSURE'],
    ['cancelled', 'CANCELLED'],
  ] as const)(
    'end in the same state: %s, with the same reason and no file',
    async (state, code) => {
      const error = { code, message: 'the words of the service' };
      const store = await tree(ending({ state, error, remoteId: 'job', ...ENDED }));
      const { bytes, sha256 } = await store.write('sequences/follower/result.csv', 'of before');
      const files = { 'result.csv': { bytes, sha256 } };
      await changeRecord(store, 'sequence', 'follower', { files });
      const same = { state, error, files: {}, resultFrom: { id: 'leader' } };
      expect(await ended(store)).toMatchObject(same);
      expect(await store.exists('sequences/follower/result.csv')).toBe(false);
    },
  );

  test.each([
    ['changed by hand', CSV.replace('1', '7')],
    ['cut short', CSV.slice(0, 3)],
    ['longer', `${CSV}3,4\n`],
  ])('fail if one of its files was %s', async (_, text) => {
    const store = await tree((s) => succeeded(s, LEADER));
    await damage(store, 'sequences/leader/result.csv', text);
    const failed = { state: 'failed', files: {}, error: { code: 'STORE_DIGEST_MISMATCH' } };
    expect(await ended(store)).toMatchObject(failed);
  });

  test('fail if its record is missing or damaged; a damaged record of their own is left', async () => {
    const missing = { state: 'failed', error: { code: 'STORE_MISSING' } };
    const gone = await tree((s) => s.remove('sequences/leader/item.json'));
    expect(await ended(gone)).toMatchObject(missing);
    const damaged = await tree((s) => s.write('sequences/leader/item.json', '{"state": "succee'));
    expect(await ended(damaged)).toMatchObject(missing);
    const own = await tree((s) => s.write('sequences/follower/item.json', '{"state": "wait'));
    await delivered(own);
    expect(await own.readText('sequences/follower/item.json')).toBe('{"state": "wait');
  });
});

test('a row whose plugin takes its input for another gets no result that its check refuses', async () => {
  loadPlugins(['./translate.ts'], join(import.meta.dirname, '..', '..', 'examples', 'services'));
  const store = await temporaryStore();
  const dna = (id: string, text: string) =>
    aSequence(id, {
      kind: 'dna',
      options: { kind: 'dna' },
      input: { name: 'input.dna', text },
      canonical: 'the same',
    });
  const [leader, ...others] = [
    dna('leader', 'ATGGCA'),
    dna('right', 'GCAATG'),
    dna('wrong', 'ATG'),
  ];
  const share = { leader: 'leader', options: leader.options };
  const items = [leader, ...others].map((item) => ({ ...item, share }));
  await prepareCampaign(store, CAMPAIGN, items);
  const { bytes, sha256 } = await store.write('dna/leader/protein.txt', 'AG');
  const files = { 'protein.txt': { bytes, sha256 } };
  const job = { remoteId: 'job', address: 'host', state: 'succeeded', files, ...ENDED } as const;
  await changeRecord(store, 'dna', 'leader', job);
  await deliverDuplicates(store, await campaignIn(store));
  expect(await recordIn(store, 'dna', 'right')).toMatchObject({ state: 'succeeded', files });
  const refused = { state: 'failed', files: {}, error: { code: 'STORE_DIGEST_MISMATCH' } };
  expect(await recordIn(store, 'dna', 'wrong')).toMatchObject(refused);
  expect(await store.exists('dna/wrong/protein.txt')).toBe(false);
  const next = await prepareCampaign(store, CAMPAIGN, items);
  expect(next, 'with a job of its own').toMatchObject({ done: 2, following: 0 });
});

describe('the results of earlier campaigns', () => {
  const asking = (predictors: readonly Predictor[], id = 'p') =>
    aSequence(id, { options: { kind: 'sequence', predictors }, canonical: 'residues' });
  const ITEM = asking(['dynamine', 'agmata']);

  /** A campaign whose item succeeded, and the cache that keeps its result. */
  async function scene(changes: Partial<ItemRecord> = {}, item = ITEM) {
    const tree = await temporaryStore();
    const cache = await cacheBeside(tree);
    const record = await succeeded(tree, item, changes);
    await cache.keep('night', record);
    /** What an item of a later campaign gets. */
    const served = async (changed: Partial<CacheQuery> = {}) => {
      const work = computeWorkDigest(ITEM);
      const found = await cache.find({ work, options: ITEM.options, address: 'host', ...changed });
      if (typeof found === 'string') return found;
      return deliver(await temporaryStore(), createWaitingRecord(aSequence('later')), found, []);
    };
    const keep = async (remoteId: string, predictors: readonly Predictor[]) =>
      cache.keep('night', await succeeded(tree, asking(predictors, remoteId), { remoteId }));
    return { tree, cache, record, served, keep };
  }

  test('serve requests for the same work at the same service, and name their origin', async () => {
    const { served, record } = await scene({ engine: 'synthetic' });
    expect(await served()).toMatchObject({
      id: 'later',
      state: 'succeeded',
      files: record.files,
      engine: 'synthetic',
      resultFrom: { type: 'cache', campaign: 'night', id: 'p' },
    });
    expect(await served({ address: 'elsewhere' })).toBe('never computed');
    const other = computeWorkDigest(aSequence('q', { canonical: 'others' }));
    expect(await served({ work: other })).toBe('never computed');
  });

  test.each([
    ['fewer', ['agmata'], true],
    ['the same, in another order', ['agmata', 'dynamine'], true],
    ['more', ['agmata', 'dynamine', 'psper'], false],
    ['others', ['psper'], false],
  ] as const)('requested for %s predictors: %j', async (_, predictors, serves) => {
    const { served } = await scene();
    const found = await served({ options: asking(predictors).options });
    if (serves) expect(found).toMatchObject({ state: 'succeeded' });
    else expect(found).toBe('other predictors');
  });

  test('are replaced by a result with more predictors, and not by one with fewer', async () => {
    const { served, keep } = await scene({}, asking(['dynamine']));
    await keep('two', ['dynamine', 'agmata']);
    await keep('three', ['agmata']);
    expect(await served()).toMatchObject({ remoteId: 'two' });
    await keep('four', ['agmata', 'dynamine']);
    expect(await served()).toMatchObject({ remoteId: 'four' });
  });

  test('are not delivered from a file that was edited, and a new job replaces them', async () => {
    const { tree, served, keep } = await scene();
    // Of the same length, as an editor may do it.
    await damage(tree, 'sequences/p/result.csv', CSV.replace('1', '7'));
    expect(await served()).toBeNull();
    await keep('job-2', ['dynamine', 'agmata']);
    expect(await served()).toMatchObject({ state: 'succeeded', remoteId: 'job-2' });
  });

  const RECORD = 'sequences/p/item.json';

  test.each<[string, (tree: Store, record: ItemRecord) => Promise<unknown>]>([
    ['without a file', (tree) => tree.remove('sequences/p/result.csv')],
    ['without its record', (tree) => tree.remove(RECORD)],
    ['with a damaged record', (tree) => tree.write(RECORD, '{')],
    ['of another input', (tree, record) => writeItem(tree, { ...record, work: 'other' })],
    ['of another service', (tree, record) => writeItem(tree, { ...record, address: 'other' })],
    ['that runs again', (tree, record) => writeItem(tree, { ...record, state: 'waiting' })],
  ])('are not delivered of an item %s, until the next job', async (_, change) => {
    const { tree, record, served, keep } = await scene();
    await change(tree, record);
    expect(await served()).toBe('damaged');
    await keep('job-2', ['dynamine', 'agmata']);
    expect(await served()).toMatchObject({ state: 'succeeded', remoteId: 'job-2' });
  });

  test('are written anew where the cache is damaged, and missed with their campaign', async () => {
    const { tree, record, served, cache } = await scene();
    const kept = await openStore(buildResultCacheFolder(tree.location));
    const [entry = ''] = await Array.fromAsync(kept.list('results/'));
    for (const text of ['', '{', '{"format": 2}']) {
      await kept.write(entry, text);
      expect(await served()).toBe('never computed');
    }
    await cache.keep('night', record);
    expect(await served()).toMatchObject({ state: 'succeeded' });
    await cache.keep('another', { ...record, id: 'q', options: asking(['psper']).options });
    expect(await served(), 'of a campaign that is there').toMatchObject({ state: 'succeeded' });
    await kept.write(entry, '{"campaign": "gone", "kind": "sequence", "id": "p"}');
    expect(await served()).toBe('damaged');
  });
});
