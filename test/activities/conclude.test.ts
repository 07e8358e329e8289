/** The end of an item on disk, after it was run again: whose files are kept, and what is recorded of the former end. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import type { Client } from '@temporalio/client';
import { conclude } from '../../src/activities/conclude.ts';
import { noteAcceptanceOnce, type Owed } from '../../src/activities/note-acceptance.ts';
import type { Tries } from '../../src/activities/tries.ts';
import { EndReporter } from '../../src/activities/end-reporter.ts';
import { OURS } from './ours.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { givenUp, reopened } from '../../src/store/reopen.ts';
import type { Store } from '../../src/store/store.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import type { ItemConclusion } from '../../src/workflows/activity-types.ts';
import { collected } from '../store/store-expectations.ts';
import { aSequence } from '../store/an-item.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

let temporal: Client;
beforeAll(async () => {
  temporal = await connectClient({ address: inject('temporal'), namespace: 'default' });
});
afterAll(() => temporal.connection.close());

const SUBMITTED = '2026-11-21T20:00:00.000Z';
const ENDED = '2026-11-22T08:05:00.000Z';

/** An item that had ended with two files, and was reopened. */
async function openedAgain(former: Partial<ItemRecord>): Promise<Store> {
  const store = await openFileStore(await temporaryFolder());
  const campaign = { name: 'no-such-campaign', manifestDigests: [], settings: {} };
  await prepareCampaign(store, campaign, [aSequence('p1')]);
  const record = await readItem(store, 'sequence', 'p1');
  if (!record) throw new Error('not prepared');
  const files: Record<string, { bytes: number; sha256: string }> = {};
  for (const name of ['result.json', 'result.csv']) {
    const { bytes, sha256 } = await store.write(`sequences/p1/${name}`, 'former');
    files[name] = { bytes, sha256 };
  }
  const ended = { state: 'failed' as const, remoteId: 'job-1', submittedAt: SUBMITTED, files };
  const at = '2026-11-22T08:00:00.000Z';
  await writeItem(store, reopened({ ...record, ...ended, finishedAt: at, ...former }, at));
  return store;
}

type End = Partial<
  Pick<
    ItemConclusion,
    'end' | 'remoteId' | 'attempts' | 'files' | 'sentAt' | 'answeredAt' | 'finishedAt'
  >
>;

/** The end that the activity returns. */
function ended(store: Store, given: End) {
  return conclude(
    { openStore: openFileStore, leases: OURS, ends: new EndReporter(temporal) },
    conclusionOf(store, given),
  );
}

async function concluded(store: Store, given: End): Promise<ItemRecord> {
  const conclusion = conclusionOf(store, given);
  const deps = { openStore: openFileStore, leases: OURS, ends: new EndReporter(temporal) };
  await conclude(deps, conclusion);
  // As after a crash between writing and reporting.
  await conclude(deps, conclusion);
  const record = await readItem(store, 'sequence', 'p1');
  if (!record) throw new Error('the record is gone');
  return record;
}

function conclusionOf({ location }: Store, given: End): ItemConclusion {
  const item = { campaign: 'no-such-campaign', store: location, tree: '', id: 'p1', generation: 1 };
  return {
    item: { ...item, kind: 'sequence' },
    reference: { service: 'predictions', address: 'a', credential: 'c' },
    end: { state: 'succeeded', code: null, message: null },
    remoteId: 'job-2',
    attempts: [],
    files: [],
    submittedAt: ENDED,
    finishedAt: ENDED,
    timing: null,
    ...given,
  };
}

const filesOf = async (store: Store) =>
  (await collected(store.list('sequences/p1/'))).map((key) => key.split('/').at(-1));

const failed = (code: string): ItemConclusion['end'] => ({ state: 'failed', code, message: 'why' });
const succeeded: ItemConclusion['end'] = { state: 'succeeded', code: null, message: null };
const wasFailed = { error: { code: 'JOB_FAILED', message: 'why' } };
const wasDamaged = { error: { code: 'STORE_DIGEST_MISMATCH', message: 'why' } };

test('no record is left if the folder is removed while the record is written', async () => {
  const store = await openedAgain(wasFailed);
  const write = store.write.bind(store);
  vi.spyOn(store, 'write').mockImplementation(async (key, data, options) => {
    if (key.endsWith('item.json'))
      await rm(join(store.location, 'sequences', 'p1'), { recursive: true });
    return write(key, data, options);
  });
  const deps = {
    openStore: () => Promise.resolve(store),
    leases: OURS,
    ends: new EndReporter(temporal),
  };
  await conclude(deps, conclusionOf(store, {}));
  expect(await filesOf(store)).toEqual([]);
});

describe('files of the previous job', () => {
  test('are replaced by those of the next job', async () => {
    const store = await openedAgain(wasFailed);
    const { bytes, sha256 } = await store.write('sequences/p1/result.json', 'new');
    const { files } = await concluded(store, { files: [{ name: 'result.json', bytes, sha256 }] });
    expect(files).toEqual({ 'result.json': { bytes, sha256 } });
    expect(await filesOf(store)).toEqual(['input.fasta', 'item.json', 'result.json']);
  });

  test('are removed if the next job delivers none', async () => {
    const store = await openedAgain(wasFailed);
    const { files, state } = await concluded(store, { end: failed('JOB_FAILED') });
    expect([state, files]).toEqual(['failed', {}]);
    expect(await filesOf(store)).toEqual(['input.fasta', 'item.json']);
  });

  test.each([
    ['no other job was created', wasFailed, null],
    ['the same job was requested again without a result', wasDamaged, 'job-1'],
  ])('are kept, with their checksums, when %s', async (_, former, remoteId) => {
    const store = await openedAgain(former);
    const { files } = await concluded(store, { remoteId, end: failed('CANCELLED') });
    expect(Object.keys(files)).toEqual(['result.json', 'result.csv']);
    expect(await filesOf(store)).toHaveLength(4);
  });
});

test('the attempts of all jobs are kept, each once, however often the end is written', async () => {
  const store = await openedAgain(wasFailed);
  const attempts = [{ at: ENDED, outcome: 'accepted' as const, remoteId: 'job-2' }];
  const { attempts: kept, earlier } = await concluded(store, { attempts });
  expect(kept).toEqual(attempts);
  expect(earlier).toMatchObject([{ state: 'failed', remoteId: 'job-1' }]);
});

test('a recorded end is not changed by a later attempt for the same job', async () => {
  const store = await openedAgain(wasFailed);
  const attempts = [{ at: ENDED, outcome: 'accepted' as const, remoteId: 'job-2' }];
  await concluded(store, { attempts });
  const later = { attempts, finishedAt: '2026-11-22T08:06:00.000Z' };
  // A worker that was killed before it could answer, and an item that was cancelled meanwhile.
  for (const end of [succeeded, { ...failed('CANCELLED'), state: 'cancelled' as const }])
    expect(await ended(store, { ...later, end })).toEqual(succeeded);
  expect(await readItem(store, 'sequence', 'p1')).toMatchObject({
    state: 'succeeded',
    attempts,
    finishedAt: ENDED,
  });
});

describe('a late attempt for a job whose end is recorded', () => {
  /** A file as an attempt leaves it in the item's folder. */
  async function downloaded(store: Store, name: string, text: string) {
    const { bytes, sha256 } = await store.write(`sequences/p1/${name}`, text);
    return { name, bytes, sha256 };
  }

  /** What is recorded, and the digests of what is there. */
  async function kept(store: Store) {
    const files = (await readItem(store, 'sequence', 'p1'))?.files ?? {};
    const keys = await collected(store.list('sequences/p1/'));
    const found = keys.map((key) => key.slice('sequences/p1/'.length)).sort();
    for (const [name, { sha256 }] of Object.entries(files))
      expect((await store.digest(`sequences/p1/${name}`))?.sha256, name).toBe(sha256);
    return { recorded: Object.keys(files).sort(), found };
  }

  test('leaves no files of its own beside those of a failed end', async () => {
    const store = await openedAgain(wasFailed);
    const wrong = await downloaded(store, 'rejected/result.json', 'wrong');
    await concluded(store, { end: failed('RESULT_MISSING_FILES'), files: [wrong] });
    const files = [await downloaded(store, 'result.json', 'right')];
    expect(await ended(store, { files })).toMatchObject({ code: 'RESULT_MISSING_FILES' });
    expect(await kept(store)).toEqual({
      recorded: ['rejected/result.json'],
      found: ['input.fasta', 'item.json', 'rejected/result.json'],
    });
  });

  test('leaves no rejected files beside those of a success', async () => {
    const store = await openedAgain(wasFailed);
    await concluded(store, { files: [await downloaded(store, 'result.json', 'right')] });
    const files = [await downloaded(store, 'rejected/result.json', 'wrong')];
    const end = failed('RESULT_MISSING_FILES');
    expect(await ended(store, { end, files })).toEqual(succeeded);
    expect(await kept(store)).toEqual({
      recorded: ['result.json'],
      found: ['input.fasta', 'item.json', 'result.json'],
    });
  });

  test('that replaced a file records the digest of the new file', async () => {
    const store = await openedAgain(wasFailed);
    await concluded(store, { files: [await downloaded(store, 'result.json', 'right')] });
    const files = [await downloaded(store, 'result.json', 'right, and sent later')];
    expect(await ended(store, { files })).toEqual(succeeded);
    expect((await kept(store)).recorded).toEqual(['result.json']);
  });

  test('does not open the item again', async () => {
    const store = await openedAgain(wasFailed);
    const before = await concluded(store, {});
    const { item, reference } = conclusionOf(store, {});
    const job = { item, reference, remoteId: 'job-2' };
    const tries: Tries<Owed> = { attempt: 1, ageMs: () => 0, left: null, leave: () => undefined };
    await noteAcceptanceOnce({ openStore: openFileStore, leases: OURS }, job, tries);
    expect(await readItem(store, 'sequence', 'p1')).toEqual(before);
  });

  test('that ends at the same time as another one returns the same end, and only its files are kept', async () => {
    const store = await openedAgain(wasFailed);
    const wrong = await downloaded(store, 'rejected/result.json', 'wrong');
    const right = await downloaded(store, 'result.json', 'right');
    const ends = await Promise.all([
      ended(store, { end: failed('RESULT_MISSING_FILES'), files: [wrong] }),
      ended(store, { files: [right] }),
    ]);
    expect(ends[0]).toEqual(ends[1]);
    const { recorded, found } = await kept(store);
    expect(found).toEqual(['input.fasta', 'item.json', ...recorded]);
  });
});

test('the times of a POST are kept with its job', async () => {
  const times = { sentAt: '2026-11-22T08:04:58.000Z', answeredAt: ENDED };
  const attempts = [{ at: ENDED, outcome: 'accepted' as const, remoteId: 'job-2', ...times }];
  const another = await openedAgain({ ...wasFailed, sentAt: SUBMITTED, answeredAt: SUBMITTED });
  expect(await concluded(another, { attempts, ...times })).toMatchObject({ attempts, ...times });
  const found = [{ at: ENDED, outcome: 'found' as const, remoteId: 'job-1' }];
  const again = await openedAgain({ ...wasDamaged, sentAt: SUBMITTED, answeredAt: SUBMITTED });
  expect(await concluded(again, { remoteId: 'job-1', attempts: found })).toMatchObject({
    sentAt: SUBMITTED,
    answeredAt: SUBMITTED,
  });
});

test('a job that is looked up again keeps its time of acceptance', async () => {
  const attempts = [{ at: ENDED, outcome: 'found' as const, remoteId: 'job-1' }];
  const again = await openedAgain(wasDamaged);
  expect(await concluded(again, { remoteId: 'job-1', attempts })).toMatchObject({
    submittedAt: SUBMITTED,
  });
  const another = await openedAgain(wasFailed);
  const record = await readItem(another, 'sequence', 'p1');
  if (record) await writeItem(another, givenUp(record, {}));
  expect(await concluded(another, {})).toMatchObject({ submittedAt: ENDED });
});

describe('a workflow that was terminated', () => {
  const byHand = { end: failed('ITEM_ENDED_BY_HAND'), remoteId: null };

  test('leaves the recorded job, so that it can be looked up', async () => {
    const store = await openedAgain(wasDamaged);
    expect(await concluded(store, byHand)).toMatchObject({ state: 'failed', remoteId: 'job-1' });
  });

  test('does not change an end that the item had already recorded', async () => {
    const store = await openedAgain(wasFailed);
    await concluded(store, {});
    expect(await concluded(store, byHand)).toMatchObject({ state: 'succeeded', error: null });
  });
});

describe('a result that was rejected', () => {
  const written = async (store: Store, name: string) => {
    const { bytes, sha256 } = await store.write(`sequences/p1/${name}`, 'wrong');
    return { name, bytes, sha256 };
  };

  test('is stored under rejected/ with the other files of its job; files without checksums are removed', async () => {
    const store = await openedAgain(wasFailed);
    const files = [
      await written(store, 'rejected/result.json'),
      await written(store, 'result.csv'),
    ];
    await written(store, 'metadata.csv');
    const end = failed('RESULT_WRONG_SEQUENCE');
    const { files: kept } = await concluded(store, { files, end });
    expect(Object.keys(kept)).toEqual(['rejected/result.json', 'rejected/result.csv']);
    expect(await collected(store.list('sequences/p1/'))).toEqual([
      'sequences/p1/input.fasta',
      'sequences/p1/item.json',
      'sequences/p1/rejected/result.csv',
      'sequences/p1/rejected/result.json',
    ]);
  });

  test('is replaced by the result of the next job', async () => {
    const store = await openedAgain(wasFailed);
    await written(store, 'rejected/result.json');
    const { files } = await concluded(store, { files: [await written(store, 'result.json')] });
    expect(Object.keys(files)).toEqual(['result.json']);
    expect(await filesOf(store)).toEqual(['input.fasta', 'item.json', 'result.json']);
  });
});

describe('files that contradict each other', () => {
  const RESULT = '{"proteins":{"a":{"seq":["M","K"],"backbone":[0.5,0.6]}}}';
  const CSV = 'sequence_id,residue,residue_index,backbone\na,M,0,0.5\na,K,1,0.6\n';

  async function written(store: Store, csv: string) {
    const texts = { 'result.json': RESULT, 'result.csv': csv };
    return Promise.all(
      Object.entries(texts).map(async ([name, text]) => {
        const { bytes, sha256 } = await store.write(`sequences/p1/${name}`, text);
        return { name, bytes, sha256 };
      }),
    );
  }

  test('turn a success into a failure, also when the end is reported twice', async () => {
    const store = await openedAgain(wasFailed);
    const files = await written(store, CSV.replace('K', 'W'));
    // `concluded` does it twice, as after a crash before the campaign was notified.
    const { state, error, files: kept } = await concluded(store, { files });
    expect([state, error?.code]).toEqual(['failed', 'RESULT_FILES_DISAGREE']);
    expect(Object.keys(kept)).toEqual(['rejected/result.json', 'rejected/result.csv']);
    expect(await filesOf(store)).toEqual(['input.fasta', 'item.json', 'result.csv', 'result.json']);
    expect(await ended(store, { files })).toEqual({ state, ...error });
  });

  test('are also detected if a crash left one of them among the rejected files', async () => {
    const store = await openedAgain(wasFailed);
    const files = await written(store, CSV.replace('K', 'W'));
    await store.adopt('sequences/p1/rejected/result.json', store, 'sequences/p1/result.json');
    const { error, files: kept } = await concluded(store, { files });
    expect(error?.code).toBe('RESULT_FILES_DISAGREE');
    expect(Object.keys(kept)).toEqual(['rejected/result.json', 'rejected/result.csv']);
  });

  test('are not compared with those of an earlier job', async () => {
    const store = await openedAgain(wasFailed);
    const [result] = await written(store, CSV.replace('K', 'W'));
    if (result === undefined) throw new Error('nothing written');
    expect(await concluded(store, { files: [result] })).toMatchObject({ state: 'succeeded' });
  });

  test('that agree leave the item succeeded', async () => {
    const store = await openedAgain(wasFailed);
    const files = await written(store, CSV);
    expect(await concluded(store, { files })).toMatchObject({ state: 'succeeded', error: null });
    expect(await ended(store, { files })).toEqual({
      state: 'succeeded',
      code: null,
      message: null,
    });
  });
});
