/**
 * Rows that share work, prepared over whatever an earlier run has left: every item has ended, has its own job, or
 * follows one that delivers what it requests. And `plan` had predicted the number of jobs.
 */
import fc from 'fast-check';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PREDICTORS, type Item } from '../../src/domain/item.ts';
import { isFinal } from '../../src/domain/states.ts';
import { Shares } from '../../src/plan/shares.ts';
import { Spool } from '../../src/plan/spool.ts';
import { surveyManifests, type Survey } from '../../src/plan/survey.ts';
import { deliverDuplicates } from '../../src/store/deliver-duplicates.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import type { Known, AssignedItem } from '../../src/store/prepare-item.ts';
import { growCampaign, prepareCampaign } from '../../src/store/prepare.ts';
import { readPreparedCampaign, type PreparedCampaign } from '../../src/store/prepared-campaign.ts';
import { ResultCache } from '../../src/store/result-cache.ts';
import type { Store } from '../../src/store/store.ts';
import { covers } from '../../src/kinds/registry.ts';
import { faultsOf } from '../../src/report/audit.ts';
import { aMolecule, aSequenceOf } from './an-item.ts';
import { entriesIn } from './store-expectations.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { temporaryStore } from './temporary-store.ts';

const CAMPAIGN = { name: 'night', manifestDigests: [], settings: {} };
const ADDRESS = 'host';

async function* sharing(items: readonly Item[]): AsyncGenerator<AssignedItem> {
  const shares = new Shares();
  for (const item of items) shares.add(item);
  const again = async function* (): AsyncGenerator<Item> {
    await Promise.resolve();
    yield* items;
  };
  yield* shares.assign(again());
}

async function campaignIn(store: Store): Promise<PreparedCampaign> {
  const campaign = await readPreparedCampaign(store);
  if (!campaign) throw new Error('not prepared');
  return campaign;
}

async function entriesOf(store: Store) {
  const { pages } = await campaignIn(store);
  return (await Promise.all(Array.from({ length: pages }, (_, n) => entriesIn(store, n)))).flat();
}

async function recordOf(store: Store, { kind, id }: Pick<Item, 'kind' | 'id'>) {
  const record = await readItem(store, kind, id);
  if (!record) throw new Error(`${id} has no record`);
  return record;
}

/** What the service would have computed: it depends on the work alone. */
async function succeed(store: Store, record: ItemRecord): Promise<ItemRecord> {
  const key = `${record.kind === 'molecule' ? 'molecules' : 'sequences'}/${record.id}/result.json`;
  const { bytes, sha256 } = await store.write(key, `result of ${String(record.work)}`);
  const done: ItemRecord = {
    ...record,
    state: 'succeeded',
    remoteId: `job of ${record.id}`,
    address: ADDRESS,
    finishedAt: '2026-11-21T00:00:00.000Z',
    files: { 'result.json': { bytes, sha256 } },
  };
  await writeItem(store, done);
  return done;
}

/** The promise of this file. */
async function everyItemHasItsWay(store: Store, ids: readonly string[]): Promise<void> {
  const entries = await entriesOf(store);
  expect(entries.map(({ id }) => id)).toEqual(ids);
  const records = new Map<string, ItemRecord>();
  for (const entry of entries) records.set(entry.id, await recordOf(store, entry));
  for (const { id, done, follows } of entries) {
    const record = records.get(id);
    expect(record && isFinal(record.state)).toBe(done !== undefined);
    if (record?.state === 'succeeded') expect(await faultsOf(store, record), id).toEqual([]);
    if (follows === undefined) continue;
    const leader = records.get(follows);
    expect(leader, `${follows}, which ${id} follows`).toBeDefined();
    expect(follows, 'the item itself').not.toBe(id);
    const chained = entries.find((entry) => entry.id === follows)?.follows;
    expect(chained, `what ${follows} follows in its turn`).toBeUndefined();
    expect(leader?.work).toBe(record?.work);
    if (leader && record)
      expect(covers(leader.jobOptions ?? leader.options, record.options)).toBe(true);
  }
}

interface Row {
  readonly id: string;
  readonly sequence: string;
  readonly predictors: string;
}

const SEQUENCES = ['MKTAYIAKAA', 'MKTAYIAKCC', 'MKTAYIAKDD'] as const;
const row = fc.record({
  sequence: fc.constantFrom(...SEQUENCES),
  predictors: fc.subarray(PREDICTORS.slice(0, 3), { minLength: 1 }).map((all) => all.join()),
});
const rowsCalled = (letter: string): fc.Arbitrary<Row[]> =>
  fc
    .array(row, { maxLength: 6, minLength: 1 })
    .map((all) => all.map((cells, n): Row => ({ id: `${letter}${n}`, ...cells })));
const rows = rowsCalled('s');

/** Most rows of the first manifest unchanged, some removed or changed, and new ones before or after them. */
const edited = fc
  .record({
    changes: fc.array(fc.option(fc.constantFrom('gone', 'changed'), { freq: 4 }), {
      minLength: 6,
      maxLength: 6,
    }),
    other: row,
    added: rowsCalled('t'),
    first: fc.boolean(),
  })
  .map(({ changes, other, added, first }) => (former: readonly Row[]): Row[] => {
    const left = former.flatMap((one, n) => {
      if (changes[n] === 'gone') return [];
      return changes[n] === 'changed' ? [{ ...one, ...other }] : [one];
    });
    return first ? [...added, ...left] : [...left, ...added];
  });
const FATES = ['waiting', 'running', 'succeeded', 'failed'] as const;
const fates = fc.array(fc.constantFrom(...FATES), { minLength: 10, maxLength: 10 });
/** Of another campaign: the contents of the cache. */
const cached = fc.array(row, { maxLength: 2 });

interface Taken {
  readonly survey: Survey;
  readonly spool: Spool;
}

async function takeIn(
  folder: string,
  all: readonly Row[],
  tree: Store | null,
  cache: ResultCache,
): Promise<Taken> {
  const path = join(folder, 'm.jsonl');
  await writeFile(path, all.map((one) => JSON.stringify(one)).join('\n'));
  const spool = new Spool(folder);
  const survey = await surveyManifests([path], {
    allowOutside: false,
    tree,
    cache,
    spool,
    onProblem: () => undefined,
    addresses: { predictions: ADDRESS },
  });
  await spool.end();
  return { survey, spool };
}

const knownIn =
  (cache: ResultCache): Known =>
  async ({ work, options }) => {
    const found = await cache.find({ work: work ?? '', options, address: ADDRESS });
    return typeof found === 'string' ? null : found;
  };

async function run(
  folder: string,
  store: Store,
  all: readonly Row[],
  cache: ResultCache,
): Promise<{ survey: Survey; ids: string[] }> {
  const tree = (await readPreparedCampaign(store)) ? store : null;
  const { survey, spool } = await takeIn(folder, all, tree, cache);
  const ids: string[] = [];
  for await (const { id } of spool.items()) ids.push(id);
  const planned = survey.shares.assign(spool.items());
  await prepareCampaign(store, CAMPAIGN, planned, { pageSize: 3, known: knownIn(cache) });
  return { survey, ids };
}

/** Brings items with their own job to these states, as an interrupted run would leave them. */
async function leave(store: Store, states: readonly (typeof FATES)[number][]): Promise<void> {
  for (const entry of await entriesOf(store)) {
    if (entry.follows !== undefined || entry.done !== undefined) continue;
    const record = await recordOf(store, entry);
    const state = states[Number(entry.id.slice(1))] ?? 'waiting';
    if (state === 'succeeded') await succeed(store, record);
    const error = { code: 'JOB_FAILED', message: 'no' };
    const finishedAt = '2026-11-21T00:00:00.000Z';
    if (state === 'failed') await writeItem(store, { ...record, state, error, finishedAt });
    if (state === 'running') {
      const job = { remoteId: `job of ${entry.id}`, address: ADDRESS };
      await writeItem(store, { ...record, state, ...job });
    }
  }
}

const someCache = async (folder: string, all: readonly Omit<Row, 'id'>[]) => {
  const cache = new ResultCache(await temporaryStore());
  if (all.length === 0) return cache;
  const tree = await temporaryStore();
  const named = all.map((cells, n) => ({ id: `c${n}`, ...cells }));
  await run(folder, tree, named, cache);
  for (const entry of await entriesOf(tree)) {
    if (entry.follows === undefined)
      await cache.keep(tree, 'earlier', await succeed(tree, await recordOf(tree, entry)));
  }
  return cache;
};

describe('rows that share work', () => {
  test('are prepared after any earlier run, and need as many jobs as the survey counted', async () => {
    const folder = await temporaryFolder();
    let n = 0;
    await fc.assert(
      fc.asyncProperty(rows, fates, fc.boolean(), edited, cached, async (...drawn) => {
        const [first, states, delivered, edit, inCache] = drawn;
        const second = edit(first);
        n += 1;
        const own = join(folder, String(n));
        await mkdir(own);
        const cache = await someCache(own, inCache);
        const store = await temporaryStore();
        const began = await run(own, store, first, cache);
        await everyItemHasItsWay(store, began.ids);
        await leave(store, states);
        if (delivered) await deliverDuplicates(store, await campaignIn(store), () => undefined);

        const { survey, ids } = await run(own, store, second, cache);
        await everyItemHasItsWay(store, ids);
        const entries = await entriesOf(store);
        const unended = entries.filter(({ done, follows }) => !done && follows === undefined);
        const submitted = unended.filter(({ job }) => job !== undefined).length;
        expect(survey.submitted, 'jobs that are there').toBe(submitted);
        expect(survey.jobs.sequence, 'jobs to be submitted').toBe(unended.length - submitted);
        const { ended, duplicates } = survey;
        const sum = ended + survey.submitted + duplicates + survey.cached + survey.jobs.sequence;
        expect(sum).toBe(survey.items);
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });

  test('are added while others run, without chains of rows, in pages after the existing ones', async () => {
    const folder = await temporaryFolder();
    let n = 0;
    await fc.assert(
      fc.asyncProperty(rows, fates, edited, async (first, states, edit) => {
        const second = edit(first);
        n += 1;
        const own = join(folder, String(n));
        await mkdir(own);
        const cache = await someCache(own, []);
        const store = await temporaryStore();
        const { ids } = await run(own, store, first, cache);
        await leave(store, states);
        const pages = (await campaignIn(store)).pages;
        const before = await entriesOf(store);
        const { survey, spool } = await takeIn(own, second, null, cache);
        const planned = survey.shares.assign(spool.items());
        const former = await campaignIn(store);
        const grown = await growCampaign(store, former, CAMPAIGN, planned, { pageSize: 2 });
        const after = await entriesOf(store);
        const added = second.map(({ id }) => id).filter((id) => !ids.includes(id));
        expect(after.map(({ id }) => id)).toEqual([...ids, ...added]);
        expect(after.slice(0, before.length), 'pages that a workflow reads').toEqual(before);
        expect(grown.items).toBe(ids.length + added.length);
        expect((await entriesIn(store, pages - 1)).length).toBeGreaterThan(0);
        for (const { id, follows } of after) {
          if (follows === undefined) continue;
          const leader = after.find((entry) => entry.id === follows);
          expect([leader?.id, leader?.follows], `leader of ${id}`).toEqual([follows, undefined]);
        }
      }),
      { numRuns: 20, endOnFailure: true },
    );
  });
});

describe('a row that only seems to request the same work', () => {
  const share = (leader: string, item: Item): AssignedItem => ({
    ...item,
    share: { leader, options: item.options },
  });

  test('gets its own job, with its own options', async () => {
    const store = await temporaryStore();
    const [one, other] = [aSequenceOf('one', 0, ['dynamine']), aSequenceOf('other', 1, ['agmata'])];
    const gas = aMolecule('gas', {
      options: { kind: 'molecule', chargeMethod: 'gas', netCharge: 1, atomType: 'gaff' },
    });
    const bcc = {
      ...share('one', aMolecule('bcc')),
      share: { leader: 'one', options: gas.options },
    };
    const wrong = { ...share('one', gas), share: { leader: 'one', options: one.options } };
    const items = [share('one', one), share('one', other), bcc, wrong];
    expect(await prepareCampaign(store, CAMPAIGN, items)).toMatchObject({ following: 0 });
    for (const item of items) {
      const { jobOptions, options } = await recordOf(store, item);
      expect(jobOptions, item.id).toEqual(options);
      expect(options).toEqual(item.options);
    }
  });
});

describe('a leader that succeeded in an earlier run', () => {
  const group = ['a', 'b', 'c'].map((id) => aSequenceOf(id, 0, ['dynamine']));

  async function led(): Promise<Store> {
    const store = await temporaryStore();
    await prepareCampaign(store, CAMPAIGN, sharing(group.slice(0, 1)));
    const leader = group[0] as Item;
    await succeed(store, await recordOf(store, leader));
    return store;
  }

  test('whose file was changed by the user is not used: one of the others has a job for all', async () => {
    const store = await led();
    await store.write('sequences/a/result.json', 'changed');
    expect(await prepareCampaign(store, CAMPAIGN, sharing(group))).toMatchObject({
      done: 1,
      following: 1,
    });
    expect(await entriesOf(store)).toEqual([
      { id: 'a', kind: 'sequence', done: 'succeeded' },
      { id: 'b', kind: 'sequence' },
      { id: 'c', kind: 'sequence', follows: 'b' },
    ]);
    expect(await store.exists('sequences/b/result.json')).toBe(false);
  });

  test('whose record was removed is prepared again, and rows that failed because of it follow it again', async () => {
    const store = await temporaryStore();
    await prepareCampaign(store, CAMPAIGN, sharing(group));
    await store.remove('sequences/a/item.json');
    await deliverDuplicates(store, await campaignIn(store), () => undefined);
    expect(await recordOf(store, group[1] as Item)).toMatchObject({
      state: 'failed',
      error: { code: 'STORE_MISSING' },
    });
    await prepareCampaign(store, CAMPAIGN, sharing(group));
    expect(await entriesOf(store)).toEqual([
      { id: 'a', kind: 'sequence' },
      { id: 'b', kind: 'sequence', follows: 'a' },
      { id: 'c', kind: 'sequence', follows: 'a' },
    ]);
  });

  test('whose files were removed leaves rows that failed because of it to a job of their own', async () => {
    const store = await temporaryStore();
    await prepareCampaign(store, CAMPAIGN, sharing(group));
    await succeed(store, await recordOf(store, group[0] as Item));
    await store.remove('sequences/a/result.json');
    await deliverDuplicates(store, await campaignIn(store), () => undefined);
    expect(await recordOf(store, group[1] as Item)).toMatchObject({
      state: 'failed',
      error: { code: 'STORE_DIGEST_MISMATCH' },
    });
    await prepareCampaign(store, CAMPAIGN, sharing(group));
    expect(await entriesOf(store)).toEqual([
      { id: 'a', kind: 'sequence', done: 'succeeded' },
      { id: 'b', kind: 'sequence' },
      { id: 'c', kind: 'sequence', follows: 'b' },
    ]);
  });
});
