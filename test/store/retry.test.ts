/** A campaign whose ended items are reopened, from its output tree alone. */
import { describe, expect, test } from 'vitest';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { deliverDuplicates } from '../../src/store/deliver-duplicates.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareRetry } from '../../src/store/prepare-retry.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { readPreparedCampaign, type PreparedCampaign } from '../../src/store/prepared-campaign.ts';
import { surveyRetry, type Selection } from '../../src/store/retry-survey.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from './an-item.ts';
import { entriesIn } from './store-expectations.ts';
import { temporaryStore } from './temporary-store.ts';

const AT = '2026-11-22T08:00:00.000Z';
const CAMPAIGN = { name: 'night', manifestDigests: [], settings: {} };

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

interface Tree {
  readonly store: Store;
  readonly campaign: PreparedCampaign;
}

async function aTree(): Promise<Tree> {
  const store = await temporaryStore();
  await prepareCampaign(store, CAMPAIGN, ITEMS, { pageSize: 4 });
  for (const { kind, id } of ITEMS) {
    const record = await readItem(store, kind, id);
    if (record) await writeItem(store, { ...record, ...ENDS[id] });
  }
  return { store, campaign: (await readPreparedCampaign(store)) ?? failed() };
}

function failed(): never {
  throw new Error('not prepared');
}

const ALL: Selection = { type: 'all' };
const these = (...ids: string[]): Selection => ({ type: 'items', ids: new Set(ids) });

describe('the items of a retry', () => {
  test.each([
    ['all that did not succeed', ALL, ['bad', 'lost', 'held', 'stopped']],
    ['failed ones', { type: 'failed' } as const, ['bad', 'lost']],
    ['those that are named', these('held', 'bad'), ['bad', 'held']],
    ['none if the named item is open', these('open'), []],
  ])('are %s', async (_, selection, ids) => {
    const { store, campaign } = await aTree();
    const survey = await surveyRetry(store, campaign, selection);
    expect([...survey.chosen].sort()).toEqual([...ids].sort());
    expect(survey.open).toBe(1);
  });

  test('are counted by their end and by the way in which they are retried', async () => {
    const { store, campaign } = await aTree();
    expect(await surveyRetry(store, campaign, ALL)).toMatchObject({
      states: { failed: 2, held: 1, cancelled: 1 },
      ways: { ask: 2, resend: 2, anew: 0 },
      mayBeThere: 1,
      unusable: [],
      services: new Set(['molecules', 'predictions']),
    });
  });

  test('are all refused if a named one cannot be run again', async () => {
    const { store, campaign } = await aTree();
    const survey = surveyRetry(store, campaign, these('bad', 'good', 'nobody'));
    await expect(survey).rejects.toMatchObject({
      code: 'ITEM_NOT_RETRYABLE',
      exitCode: 2,
      message: 'good is succeeded. nobody is not an item of night.',
    });
  });

  test.each([
    ['its input was changed by hand', 'molecules/bad/input.smi', 'CCN\n', /was changed/],
    ['its record is damaged', 'molecules/bad/item.json', '{"id":', /is not an item record/],
  ])('omit an item if %s, and refuse it if it is named', async (_, key, text, why) => {
    const { store, campaign } = await aTree();
    await store.write(key, text);
    const { chosen, unusable } = await surveyRetry(store, campaign, ALL);
    expect([...chosen].sort()).toEqual(['held', 'lost', 'stopped']);
    expect(unusable).toEqual([expect.stringMatching(why)]);
    expect((await surveyRetry(store, campaign, these('held'))).unusable).toEqual([]);
    await expect(surveyRetry(store, campaign, these('bad'))).rejects.toThrow(why);
  });
});

describe('reopening items', () => {
  test('gives the workflows the ended items, the jobs to look up, and the generations of the items', async () => {
    const { store, campaign } = await aTree();
    const { done } = await prepareRetry(store, campaign, new Set(['bad', 'lost', 'held']), AT);
    expect(done).toBe(2);
    expect([...(await entriesIn(store, 0)), ...(await entriesIn(store, 1))]).toEqual([
      { id: 'good', kind: 'molecule', done: 'succeeded' },
      {
        id: 'bad',
        kind: 'molecule',
        generation: 1,
        job: { remoteId: 'j1', address: 'a', formerEnd: 'JOB_FAILED' },
      },
      {
        id: 'lost',
        kind: 'sequence',
        generation: 1,
        job: { remoteId: 'j2', address: 'a', formerEnd: 'STORE_DIGEST_MISMATCH' },
      },
      { id: 'held', kind: 'molecule', generation: 1 },
      { id: 'stopped', kind: 'sequence', done: 'cancelled' },
      { id: 'open', kind: 'molecule', job: { remoteId: 'j5', address: 'a' } },
    ]);
    expect(await readPreparedCampaign(store)).toEqual(campaign);
  });

  test('again after an interruption reopens each item once', async () => {
    const { store, campaign } = await aTree();
    await prepareRetry(store, campaign, new Set(['bad']), AT);
    const { chosen, open, reopenedBefore } = await surveyRetry(store, campaign, ALL);
    expect(chosen.has('bad')).toBe(false);
    expect([open, reopenedBefore]).toEqual([2, 1]);
    await prepareRetry(store, campaign, new Set([...chosen, 'bad']), AT);
    expect(await readItem(store, 'molecule', 'bad')).toMatchObject({
      generation: 1,
      remoteId: 'j1',
    });
  });

  test('is kept when `run` prepares the campaign from its manifest', async () => {
    const { store, campaign } = await aTree();
    await prepareRetry(store, campaign, new Set(['bad']), AT);
    const opened = await readItem(store, 'molecule', 'bad');
    expect(await prepareCampaign(store, CAMPAIGN, ITEMS, { pageSize: 4 })).toMatchObject({
      changed: false,
    });
    expect(await readItem(store, 'molecule', 'bad')).toEqual(opened);
    expect((await entriesIn(store, 0))[1]).toEqual({
      id: 'bad',
      kind: 'molecule',
      generation: 1,
      job: { remoteId: 'j1', address: 'a', formerEnd: 'JOB_FAILED' },
    });
  });

  test('does not change an item without a record: it is published as failed', async () => {
    const { store, campaign } = await aTree();
    await store.remove('molecules/bad/item.json');
    await prepareRetry(store, campaign, new Set(['bad', 'held']), AT);
    expect((await entriesIn(store, 0))[1]).toEqual({ id: 'bad', kind: 'molecule', done: 'failed' });
    expect(await store.exists('molecules/bad/item.json')).toBe(false);
  });
});

describe('items that share a job', () => {
  const SAME = { canonical: 'the same' };
  const GROUP = ['leader', 'one', 'two'].map((id) => aSequence(id, SAME));
  const bad = { state: 'failed', error: failure('JOB_FAILED'), finishedAt: AT } as const;

  /** The state of all of them after the leader's job ended like this. */
  async function group(end: Partial<ItemRecord> = bad): Promise<Tree> {
    const store = await temporaryStore();
    const shared = GROUP.map((item) => ({
      ...item,
      share: { leader: 'leader', options: item.options },
    }));
    await prepareCampaign(store, CAMPAIGN, shared);
    const leader = await readItem(store, 'sequence', 'leader');
    if (leader) await writeItem(store, { ...leader, remoteId: 'job', address: 'a', ...end });
    const campaign = (await readPreparedCampaign(store)) ?? failed();
    await deliverDuplicates(store, campaign, () => undefined);
    return { store, campaign };
  }

  /** The contents of the pages once they are reopened. */
  async function opened({ store, campaign }: Tree, selection: Selection) {
    const survey = await surveyRetry(store, campaign, selection);
    await prepareRetry(store, campaign, survey.chosen, AT, survey.alone);
    const page = await entriesIn(store, 0);
    return {
      survey,
      ways: page.map(({ id, done, follows }) => [id, done ?? follows ?? 'own job']),
    };
  }

  test.each([
    ['all', ALL],
    ['the failed ones', { type: 'failed' } as const],
    ['leader and followers by name', these('leader', 'one', 'two')],
  ])('%s: the leader has a job, the others follow it again', async (_, selection) => {
    const { survey, ways } = await opened(await group(), selection);
    expect(survey).toMatchObject({ following: 2, states: { failed: 3 }, alone: new Set() });
    expect(survey.ways, 'jobs').toEqual({ ask: 1, resend: 0, anew: 0 });
    expect(ways).toEqual([
      ['leader', 'own job'],
      ['one', 'leader'],
      ['two', 'leader'],
    ]);
  });

  test('a follower alone is refused if its leader has not succeeded; the error names the leader', async () => {
    const { store, campaign } = await group();
    const before = await entriesIn(store, 0);
    const error = await surveyRetry(store, campaign, these('one')).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'ITEM_NOT_RETRYABLE', exitCode: 2 });
    expect((error as Error).message).toContain('one shares the job of leader, which is failed');
    expect(await entriesIn(store, 0)).toEqual(before);
  });

  test('the leader alone does not change the others, which get its result next time', async () => {
    const tree = await group();
    expect((await opened(tree, these('leader'))).ways).toEqual([
      ['leader', 'own job'],
      ['one', 'failed'],
      ['two', 'failed'],
    ]);
    const leader = await readItem(tree.store, 'sequence', 'leader');
    if (leader) await writeItem(tree.store, { ...leader, state: 'succeeded', error: null });
    const { survey, ways } = await opened(tree, these('one'));
    expect(survey).toMatchObject({ following: 1, ways: { ask: 0, resend: 0, anew: 0 } });
    expect(ways).toEqual([
      ['leader', 'succeeded'],
      ['one', 'leader'],
      ['two', 'failed'],
    ]);
    await deliverDuplicates(tree.store, tree.campaign, () => undefined);
    expect((await readItem(tree.store, 'sequence', 'one'))?.state).toBe('succeeded');
  });

  test('a follower whose leader is missing, or cannot be run, gets its own job', async () => {
    const gone = await group();
    await gone.store.remove('sequences/leader/item.json');
    const { survey, ways } = await opened(gone, ALL);
    expect(survey).toMatchObject({ following: 0, alone: new Set(['one', 'two']) });
    expect(ways).toEqual([
      ['leader', 'failed'],
      ['one', 'own job'],
      ['two', 'own job'],
    ]);
    const changed = await group();
    await changed.store.write('sequences/leader/input.fasta', 'changed by hand');
    expect((await opened(changed, ALL)).ways).toEqual([
      ['leader', 'failed'],
      ['one', 'own job'],
      ['two', 'own job'],
    ]);
  });
});
