import { describe, expect, test } from 'vitest';
import { faultsOf } from '../../src/report/audit.ts';
import { deliver, duplicateOf } from '../../src/store/deliver.ts';
import { deliverDuplicates } from '../../src/store/deliver-duplicates.ts';
import { waitingRecord, type ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import type { Store } from '../../src/store/store.ts';
import { FILES, succeeded } from './a-result.ts';
import { aSequence } from './an-item.ts';
import { damage, temporaryStore } from './temporary-store.ts';

const SAME = { canonical: 'residues' };
const ITEM = aSequence('leader', SAME);
const FOLLOWER = aSequence('follower', { ...SAME, user: { project: 'other' } });

const emptyStore = async (): Promise<Store> => temporaryStore();

/** None of these leaves a usable result. */
const DAMAGES: [string, string][] = [
  ['changed by hand', FILES['result.csv'].replace('1', '7')],
  ['cut short', FILES['result.csv'].slice(0, 3)],
  ['longer', `${FILES['result.csv']}3,4\n`],
];

describe('delivering a result', () => {
  test('gives another item the same files, and keeps the data of that item', async () => {
    const store = await emptyStore();
    const leader = await succeeded(store, ITEM);
    const written: string[] = [];
    const mine = waitingRecord(FOLLOWER);
    const done = await deliver(store, mine, duplicateOf(store, leader), written);
    expect(done).toMatchObject({
      id: 'follower',
      state: 'succeeded',
      user: { project: 'other' },
      attempts: [],
      remoteId: leader.remoteId,
      files: leader.files,
      finishedAt: leader.finishedAt,
      resultFrom: { type: 'duplicate', id: 'leader' },
    });
    expect(written.sort()).toEqual(
      Object.keys(FILES)
        .map((name) => `sequences/follower/${name}`)
        .sort(),
    );
    for (const [name, text] of Object.entries(FILES)) {
      expect(await store.readText(`sequences/follower/${name}`)).toBe(text);
      await damage(store, `sequences/follower/${name}`, 'edited');
      expect(await store.readText(`sequences/leader/${name}`), 'a file of its own').toBe(text);
    }
  });
});

describe('the rows that share the job of another row, when the campaign ends', () => {
  const SHARE = { leader: 'leader', options: ITEM.options };

  /** Leader and follower before it ends. */
  async function tree(end: ((store: Store) => Promise<unknown>) | null): Promise<Store> {
    const store = await emptyStore();
    const items = [ITEM, FOLLOWER].map((item) => ({ ...item, share: SHARE }));
    expect(
      await prepareCampaign(store, { name: 'n', manifestDigests: [], settings: {} }, items),
    ).toMatchObject({ following: 1 });
    await end?.(store);
    return store;
  }

  async function ended(store: Store): Promise<ItemRecord | null> {
    const campaign = await readPreparedCampaign(store);
    if (campaign) await deliverDuplicates(store, campaign, () => undefined);
    return readItem(store, 'sequence', 'follower');
  }

  const ending =
    (changes: Partial<ItemRecord>) =>
    async (store: Store): Promise<void> =>
      writeItem(store, { ...waitingRecord(ITEM), address: 'host', ...changes });

  test('get its result, once', async () => {
    const store = await tree((s) => succeeded(s, ITEM));
    const record = await ended(store);
    expect(record).toMatchObject({ state: 'succeeded' });
    expect(record && (await faultsOf(store, record))).toEqual([]);
    await store.write('sequences/leader/result.csv', 'changed since');
    expect(await ended(store)).toEqual(record);
  });

  test.each([
    ['failed', 'JOB_FAILED'],
    ['held', 'SUBMIT_UNSURE'],
    ['cancelled', 'CANCELLED'],
  ] as const)(
    'end in the same state: %s, with the same reason and no file',
    async (state, code) => {
      const error = { code, message: 'the words of the service' };
      const store = await tree(
        ending({ state, error, remoteId: 'job', finishedAt: '2026-11-21T00:00:00.000Z' }),
      );
      expect(await ended(store)).toMatchObject({
        state,
        error,
        files: {},
        resultFrom: { id: 'leader' },
      });
    },
  );

  test('keep no earlier files if they fail', async () => {
    const error = { code: 'JOB_FAILED', message: 'no' };
    const store = await tree(
      ending({ state: 'failed', error, finishedAt: '2026-11-21T00:00:00.000Z' }),
    );
    const { bytes, sha256 } = await store.write('sequences/follower/result.csv', 'old');
    const follower = await readItem(store, 'sequence', 'follower');
    if (follower)
      await writeItem(store, { ...follower, files: { 'result.csv': { bytes, sha256 } } });
    expect(await ended(store)).toMatchObject({ state: 'failed', files: {} });
    expect(await store.exists('sequences/follower/result.csv')).toBe(false);
  });

  test('wait while the other row is open', async () => {
    const store = await tree(ending({ state: 'running', remoteId: 'job' }));
    expect(await ended(store)).toMatchObject({ state: 'waiting' });
  });

  test.each(DAMAGES)('fail if one of its files was %s', async (_, text) => {
    const store = await tree((s) => succeeded(s, ITEM));
    await damage(store, 'sequences/leader/result.csv', text);
    expect(await ended(store)).toMatchObject({
      state: 'failed',
      files: {},
      error: { code: 'STORE_DIGEST_MISMATCH' },
    });
  });

  test('fail if its record is missing or damaged, and other rows still end', async () => {
    const gone = await tree((s) => s.remove('sequences/leader/item.json'));
    expect(await ended(gone)).toMatchObject({ state: 'failed', error: { code: 'STORE_MISSING' } });
    const damaged = await tree((s) => s.write('sequences/leader/item.json', '{"state": "succee'));
    expect(await ended(damaged)).toMatchObject({
      state: 'failed',
      error: { code: 'STORE_MISSING' },
    });
    const own = await tree((s) => s.write('sequences/follower/item.json', '{"state": "wait'));
    const campaign = await readPreparedCampaign(own);
    if (!campaign) throw new Error('not prepared');
    await deliverDuplicates(own, campaign, () => undefined);
    expect(await own.readText('sequences/follower/item.json'), 'left for who repairs it').toBe(
      '{"state": "wait',
    );
  });
});
