import type { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { conclude } from '../../src/activities/conclude.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { giveBackRecord, reopenRecord } from '../../src/store/reopen.ts';
import type { Store } from '../../src/store/store.ts';
import type { ItemConclusion, KeptFile } from '../../src/workflows/activity-types.ts';
import { aSequence } from '../store/an-item.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { OURS } from './a-job.ts';

const SUBMITTED = '2026-11-21T20:00:00.000Z';
const ENDED = '2026-11-22T08:05:00.000Z';
const FOLDER = 'sequences/p1/';

const failed = (code: string): ItemConclusion['end'] => ({ state: 'failed', code, message: 'why' });
const succeeded: ItemConclusion['end'] = { state: 'succeeded', code: null, message: null };
const wasFailed = { error: { code: 'JOB_FAILED', message: 'why' } };
const wasDamaged = { error: { code: 'STORE_DIGEST_MISMATCH', message: 'why' } };

/** Files as an attempt leaves them in the item's folder. */
async function put(store: Store, texts: Readonly<Record<string, string>>): Promise<KeptFile[]> {
  const files: KeptFile[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const { bytes, sha256 } = await store.write(FOLDER + name, text);
    files.push({ name, bytes, sha256 });
  }
  return files;
}

/** An item that had ended with two files, and was reopened. */
async function openedAgain(former: Partial<ItemRecord> = wasFailed): Promise<Store> {
  const store = await openFileStore(await temporaryFolder());
  const campaign = { name: 'night', manifestDigests: [], settings: {} };
  await prepareCampaign(store, campaign, [aSequence('p1')]);
  const record = await recordIn(store);
  const names = await put(store, { 'result.json': 'former', 'result.csv': 'former' });
  const files = Object.fromEntries(names.map(({ name, ...file }) => [name, file]));
  const ended = { state: 'failed' as const, remoteId: 'job-1', submittedAt: SUBMITTED, files };
  const at = '2026-11-22T08:00:00.000Z';
  await writeItem(store, reopenRecord({ ...record, ...ended, finishedAt: at, ...former }, at));
  return store;
}

async function recordIn(store: Store): Promise<ItemRecord> {
  const record = await readItem(store, 'sequence', 'p1');
  if (!record) throw new Error('there is no record');
  return record;
}

/** It is told of every end. */
const CAMPAIGN = {
  workflow: { getHandle: () => ({ signal: () => Promise.resolve() }) },
} as unknown as Client;

const deps = (openStore: typeof openFileStore) => ({
  openStore,
  leases: OURS,
  temporal: CAMPAIGN,
});

/** The end that the activity returns. */
const ended = (store: Store, given: Partial<ItemConclusion>, openStore = openFileStore) =>
  conclude(deps(openStore), conclusionOf(store, given));

async function concluded(store: Store, given: Partial<ItemConclusion>): Promise<ItemRecord> {
  await ended(store, given);
  // As after a crash between writing and reporting.
  await ended(store, given);
  return recordIn(store);
}

function conclusionOf({ location }: Store, given: Partial<ItemConclusion>): ItemConclusion {
  const item = { campaign: 'night', store: location, tree: '', id: 'p1', generation: 1 };
  return {
    item: { ...item, kind: 'sequence' },
    reference: { service: 'predictions', address: 'a', credential: 'c' },
    end: succeeded,
    remoteId: 'job-2',
    attempts: [],
    files: [],
    submittedAt: ENDED,
    finishedAt: ENDED,
    timing: null,
    engine: null,
    ...given,
  };
}

/** What is recorded, with the right digests, and what else is there. */
async function filesIn(store: Store) {
  const files = Object.entries((await readItem(store, 'sequence', 'p1'))?.files ?? {});
  for (const [name, { sha256 }] of files)
    expect((await store.digest(FOLDER + name))?.sha256, name).toBe(sha256);
  const recorded = files.map(([name]) => name).sort();
  const found = (await Array.fromAsync(store.list(FOLDER))).map((key) => key.slice(FOLDER.length));
  return { recorded, others: found.filter((name) => !recorded.includes(name)).sort() };
}

const INPUT_AND_RECORD = ['input.fasta', 'item.json'];

test('an end without a job has the one that the service accepted for this generation, as its note says', async () => {
  const store = await openedAgain();
  await writeItem(store, { ...(await recordIn(store)), remoteId: null, submittedAt: null });
  const note = (remoteId: string, address: string) =>
    JSON.stringify({ at: SUBMITTED, service: 'predictions', address, credential: 'c', remoteId });
  await store.write(`${FOLDER}sending-0-0.json`, note('job-1', 'a'));
  await store.write(`${FOLDER}sending-1-0.json`, note('of another service', 'b'));
  await store.write(`${FOLDER}sending-1-1.json`, note('job-2', 'a'));
  const byHand = { end: failed('ITEM_ENDED_BY_HAND'), remoteId: null, submittedAt: null };
  expect(await concluded(store, byHand)).toMatchObject({
    state: 'failed',
    remoteId: 'job-2',
    submittedAt: SUBMITTED,
  });
  expect((await filesIn(store)).others).toEqual(INPUT_AND_RECORD);
});

test('only a result that counts tells its campaign the engine: one that is refused may be that of another job', async () => {
  const told: unknown[] = [];
  const signal = (_: unknown, what: unknown) => Promise.resolve(void told.push(what));
  const temporal = { workflow: { getHandle: () => ({ signal }) } } as unknown as Client;
  for (const end of [succeeded, failed('RESULT_OTHER_JOB')]) {
    const conclusion = conclusionOf(await openedAgain(), { end, engine: 'real, b2bTools 3.0.9' });
    await conclude({ ...deps(openFileStore), temporal }, conclusion);
  }
  const computed = { address: 'a', engine: 'real, b2bTools 3.0.9' };
  expect(told).toEqual([
    { id: 'p1', ...succeeded, computed },
    { id: 'p1', ...failed('RESULT_OTHER_JOB') },
  ]);
});

test('the end of a job that its lane has given back since is no end of the row', async () => {
  const store = await openedAgain();
  const running = { ...(await recordIn(store)), state: 'running', remoteId: 'job-1' } as const;
  const begun = giveBackRecord({ ...running, address: 'engines' }, 'engines', []);
  const again = { ...begun, state: 'running', remoteId: 'job-2', address: 'a' } as const;
  await writeItem(store, again);
  const told: unknown[] = [];
  const signal = (_: unknown, what: unknown) => Promise.resolve(void told.push(what));
  const temporal = { workflow: { getHandle: () => ({ signal }) } } as unknown as Client;
  const late = conclusionOf(store, { end: failed('JOB_LOST'), remoteId: 'job-1' });
  await conclude({ ...deps(openFileStore), temporal }, late);
  expect(await recordIn(store)).toEqual(again);
  expect(told).toEqual([{ id: 'p1', back: { generation: 2, givenBack: ['engines'] } }]);
});

describe('files of the previous job', () => {
  const both = ['result.csv', 'result.json'];
  test.each<[string, Partial<ItemRecord>, Partial<ItemConclusion>, string[], string[]]>([
    ['are replaced by those of the next job', wasFailed, {}, ['result.json'], ['result.json']],
    ['are removed if the next job delivers none', wasFailed, { end: failed('JOB_FAILED') }, [], []],
    [
      'are kept when no other job was created',
      wasFailed,
      { end: failed('CANCELLED'), remoteId: null },
      [],
      both,
    ],
    [
      'are kept when the same job was requested again without a result',
      wasDamaged,
      { end: failed('CANCELLED'), remoteId: 'job-1' },
      [],
      both,
    ],
  ])('%s', async (_, former, given, downloads, recorded) => {
    const store = await openedAgain(former);
    await put(store, { 'rejected/result.json': 'of a job before' });
    const files = await put(store, Object.fromEntries(downloads.map((name) => [name, 'new'])));
    await concluded(store, { ...given, files });
    expect(await filesIn(store)).toEqual({ recorded, others: INPUT_AND_RECORD });
  });
});

test('a recorded end and its attempts are not changed by a later attempt for the same job', async () => {
  const store = await openedAgain();
  const attempts = [{ at: ENDED, outcome: 'accepted' as const, remoteId: 'job-2' }];
  const { earlier } = await concluded(store, { attempts });
  expect(earlier).toMatchObject([{ state: 'failed', remoteId: 'job-1' }]);
  const later = { attempts, finishedAt: '2026-11-22T08:06:00.000Z' };
  // A worker that was killed before it could answer, and an item that was cancelled meanwhile.
  for (const end of [succeeded, { ...failed('CANCELLED'), state: 'cancelled' as const }])
    expect(await ended(store, { ...later, end })).toEqual(succeeded);
  const record = await recordIn(store);
  expect(record).toMatchObject({ state: 'succeeded', finishedAt: ENDED });
  expect(record.attempts).toEqual(attempts);
});

describe('a late attempt for a job whose end is recorded', () => {
  const WRONG = { 'rejected/result.json': 'wrong' };
  const RIGHT = { 'result.json': 'right' };
  const noResult = failed('RESULT_MISSING_FILES');

  test.each([
    ['leaves no files of its own beside those of a failed end', noResult, WRONG, succeeded, RIGHT],
    ['leaves no rejected files beside those of a success', succeeded, RIGHT, noResult, WRONG],
    [
      'that replaced a file records the digest of the new file',
      succeeded,
      RIGHT,
      succeeded,
      { 'result.json': 'right, and sent later' },
    ],
  ])('%s', async (_, end, texts, lateEnd, lateTexts) => {
    const store = await openedAgain();
    await concluded(store, { end, files: await put(store, texts) });
    const files = await put(store, lateTexts);
    expect(await ended(store, { end: lateEnd, files })).toEqual(end);
    expect(await filesIn(store)).toEqual({
      recorded: Object.keys(texts),
      others: INPUT_AND_RECORD,
    });
  });

  test('that ends at the same time as another one returns the same end, and only its files are kept', async () => {
    const store = await openedAgain();
    const [wrong, right] = [await put(store, WRONG), await put(store, RIGHT)];
    const ends = await Promise.all([
      ended(store, { end: noResult, files: wrong }),
      ended(store, { files: right }),
    ]);
    expect(ends[0]).toEqual(ends[1]);
    expect((await filesIn(store)).others).toEqual(INPUT_AND_RECORD);
  });
});

describe('a workflow that was terminated', () => {
  const byHand = { end: failed('ITEM_ENDED_BY_HAND'), remoteId: null };

  test('leaves the recorded job, so that it can be looked up', async () => {
    const store = await openedAgain(wasDamaged);
    expect(await concluded(store, byHand)).toMatchObject({ state: 'failed', remoteId: 'job-1' });
  });

  test('does not change an end that the item had already recorded', async () => {
    const store = await openedAgain();
    await concluded(store, {});
    expect(await concluded(store, byHand)).toMatchObject({ state: 'succeeded', error: null });
  });
});

describe('files that contradict each other', () => {
  const TEXTS = {
    'result.json': '{"proteins":{"a":{"seq":["M","K"],"backbone":[0.5,0.6]}}}',
    'result.csv': 'sequence_id,residue,residue_index,backbone\na,M,0,0.5\na,K,1,0.6\n',
  };
  const OTHER = { ...TEXTS, 'result.csv': TEXTS['result.csv'].replace('K', 'W') };

  test.each(['at first', 'after a crash that left one of them among the rejected files'])(
    'turn a success into a failure %s',
    async (when) => {
      const store = await openedAgain();
      const files = await put(store, OTHER);
      if (when !== 'at first')
        await store.write(`${FOLDER}rejected/result.json`, TEXTS['result.json']);
      const { state, error } = await concluded(store, { files });
      expect([state, error?.code]).toEqual(['failed', 'RESULT_FILES_DISAGREE']);
      const recorded = ['rejected/result.csv', 'rejected/result.json'];
      expect(await filesIn(store)).toEqual({ recorded, others: INPUT_AND_RECORD });
      expect(await ended(store, { files })).toEqual({ state, ...error });
    },
  );
});
