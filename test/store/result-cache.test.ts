import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Predictor } from '../../src/domain/item.ts';
import { deliver } from '../../src/store/deliver.ts';
import { waitingRecord, type ItemRecord } from '../../src/store/item-record.ts';
import { ResultCache, type Wanted } from '../../src/store/result-cache.ts';
import type { Store } from '../../src/store/store.ts';
import { workDigest } from '../../src/store/work.ts';
import { FILES, succeeded } from './a-result.ts';
import { aSequence } from './an-item.ts';
import { collected } from './store-expectations.ts';
import { onFolder, temporaryStore } from './temporary-store.ts';

const asking = (predictors: readonly Predictor[]) =>
  aSequence('p', { options: { kind: 'sequence', predictors }, canonical: 'residues' });
const ITEM = asking(['dynamine', 'agmata']);

interface Scene {
  readonly tree: Store;
  readonly kept: Store;
  readonly cache: ResultCache;
}

async function scene(): Promise<Scene> {
  const tree = await temporaryStore();
  const kept = await temporaryStore();
  return { tree, kept, cache: new ResultCache(kept) };
}

const wanted = (changes: Partial<Wanted> = {}): Wanted => ({
  work: workDigest(ITEM),
  options: ITEM.options,
  address: 'host',
  ...changes,
});

/** What an item of a later campaign gets. */
async function served({ cache }: Scene, want = wanted()): Promise<ItemRecord | null | string> {
  const found = await cache.find(want);
  if (typeof found === 'string') return found;
  const store = await temporaryStore();
  return deliver(store, waitingRecord(aSequence('later')), found, []);
}

describe('the results of earlier campaigns', () => {
  test('serve requests for the same work at the same service, and name their origin', async () => {
    const set = await scene();
    const record = await succeeded(set.tree, ITEM, { engine: 'synthetic' });
    await set.cache.keep(set.tree, 'night', record);
    expect(await served(set)).toMatchObject({
      id: 'later',
      state: 'succeeded',
      files: record.files,
      engine: 'synthetic',
      resultFrom: { type: 'cache', campaign: 'night', id: 'p' },
    });
  });

  test('are not used for other work or from another service', async () => {
    const set = await scene();
    await set.cache.keep(set.tree, 'night', await succeeded(set.tree, ITEM));
    expect(await served(set, wanted({ address: 'elsewhere' }))).toBe('never computed');
    const other = workDigest(aSequence('q', { canonical: 'others' }));
    expect(await served(set, wanted({ work: other }))).toBe('never computed');
  });

  test.each([
    ['fewer', ['agmata'], true],
    ['the same, in another order', ['agmata', 'dynamine'], true],
    ['more', ['agmata', 'dynamine', 'psper'], false],
    ['others', ['psper'], false],
  ] as const)('requested for %s predictors: %j', async (_, predictors, serves) => {
    const set = await scene();
    await set.cache.keep(set.tree, 'night', await succeeded(set.tree, ITEM));
    const found = await served(set, wanted({ options: asking(predictors).options }));
    if (serves) expect(found).toMatchObject({ state: 'succeeded' });
    else expect(found).toBe('other predictors');
  });

  test('contain all results of a shared job, not only those that its row requested', async () => {
    const set = await scene();
    const record = await succeeded(set.tree, asking(['dynamine']), { jobOptions: ITEM.options });
    await set.cache.keep(set.tree, 'night', record);
    expect(await served(set)).toMatchObject({ state: 'succeeded' });
  });

  test.each<[string, Partial<ItemRecord>]>([
    ['failed', { state: 'failed', error: { code: 'JOB_FAILED', message: 'no' } }],
    ['came from another row', { resultFrom: { type: 'duplicate', id: 'q' } }],
    ['came from the cache itself', { resultFrom: { type: 'cache', campaign: 'c', id: 'q' } }],
    ['is older than digests of work', { work: null }],
  ])('are not kept for an item that %s', async (_, changes) => {
    const set = await scene();
    await set.cache.keep(set.tree, 'night', await succeeded(set.tree, ITEM, changes));
    expect(await collected(set.kept.list(''))).toEqual([]);
  });

  test('are replaced by a result with more predictors, and not by one with fewer', async () => {
    const set = await scene();
    const keep = async (campaign: string, predictors: readonly Predictor[]) =>
      set.cache.keep(
        set.tree,
        campaign,
        await succeeded(set.tree, asking(predictors), { remoteId: campaign }),
      );
    await keep('one', ['dynamine']);
    await keep('two', ['dynamine', 'agmata']);
    await keep('three', ['agmata']);
    expect(await served(set)).toMatchObject({ remoteId: 'two' });
    await keep('four', ['agmata', 'dynamine']);
    expect(await served(set)).toMatchObject({ remoteId: 'four' });
  });

  test.runIf(onFolder())(
    'share disk blocks with the tree, and a file that is edited there is not delivered',
    async () => {
      const set = await scene();
      const record = await succeeded(set.tree, ITEM);
      await set.cache.keep(set.tree, 'night', record);
      const file = join(set.tree.location, 'sequences/p/result.csv');
      const blob = `files/${record.files['result.csv']?.sha256.slice(0, 2)}/${record.files['result.csv']?.sha256}`;
      expect((await stat(join(set.kept.location, blob))).ino).toBe((await stat(file)).ino);
      // In place, and of the same length, as an editor may do it.
      await writeFile(file, FILES['result.csv'].replace('1', '7'));
      expect(await served(set)).toBeNull();
      // A new job restores it.
      const again = await succeeded(set.tree, ITEM, { remoteId: 'job-2' });
      await set.cache.keep(set.tree, 'night', again);
      expect(await served(set)).toMatchObject({ state: 'succeeded', remoteId: 'job-2' });
    },
  );

  test('with a missing file are damaged, and are repaired by the next job', async () => {
    const set = await scene();
    const record = await succeeded(set.tree, ITEM);
    await set.cache.keep(set.tree, 'night', record);
    for await (const key of set.kept.list('files/')) await set.kept.remove(key);
    expect(await served(set)).toBe('damaged');
    await set.cache.keep(set.tree, 'later', record);
    expect(await served(set)).toMatchObject({ state: 'succeeded' });
  });

  test.each(['', '{', '{"format": 2}', '{"format": 1, "campaign": "c", "item": {"id": 1}}'])(
    'that cannot be read count as missing: %j',
    async (text) => {
      const set = await scene();
      const record = await succeeded(set.tree, ITEM);
      await set.cache.keep(set.tree, 'night', record);
      const [entry = ''] = await collected(set.kept.list('results/'));
      await set.kept.write(entry, text);
      expect(await served(set)).toBe('never computed');
      await set.cache.keep(set.tree, 'night', record);
      expect(await served(set)).toMatchObject({ state: 'succeeded' });
    },
  );
});
