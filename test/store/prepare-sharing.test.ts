/**
 * Rows that share work, prepared over whatever an earlier run has left: every item has ended, has its own job, or
 * follows one that delivers what it requests. And `plan` had predicted the number of jobs.
 */
import fc from 'fast-check';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Item, isFinal } from '../../src/domain/campaign.ts';
import { PREDICTORS } from '../../src/kinds/vocabulary.ts';
import { Spool, surveyManifests } from '../../src/runner/survey.ts';
import { checkFiles } from '../../src/report/audit.ts';
import { deliverDuplicates, type ResultCache } from '../../src/store/deliver.ts';
import { type ItemRecord, readJobOptions } from '../../src/store/item-record.ts';
import {
  type AssignedItem,
  growCampaign,
  type Known,
  prepareCampaign,
} from '../../src/store/prepare.ts';
import { readPreparedCampaign } from '../../src/store/prepared-campaign.ts';
import type { Store } from '../../src/store/store.ts';
import { canShare, findKind, registerKind } from '../../src/kinds/registry.ts';
import { aMolecule, aSequenceOf } from './an-item.ts';
import { allEntries, CAMPAIGN, campaignIn, changeRecord, recordIn } from './store-expectations.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { cacheBeside, temporaryStore } from './temporary-store.ts';

const ADDRESS = 'host';
const ENDED = '2026-11-21T00:00:00.000Z';

/** What the service would have computed: it depends on the work alone. */
async function succeed(store: Store, id: string): Promise<ItemRecord> {
  const { work } = await recordIn(store, 'sequence', id);
  const { bytes, sha256 } = await store.write(`sequences/${id}/result.json`, `of ${String(work)}`);
  return changeRecord(store, 'sequence', id, {
    state: 'succeeded',
    remoteId: `job of ${id}`,
    address: ADDRESS,
    finishedAt: ENDED,
    files: { 'result.json': { bytes, sha256 } },
  });
}

const deliverTo = async (store: Store): Promise<void> =>
  deliverDuplicates(store, await campaignIn(store));

/** The promise of this file. */
async function everyItemHasItsWay(store: Store, ids: readonly string[]): Promise<void> {
  const entries = await allEntries(store);
  expect(entries.map(({ id }) => id)).toEqual(ids);
  const records = new Map<string, ItemRecord>();
  for (const { kind, id } of entries) records.set(id, await recordIn(store, kind, id));
  for (const { id, done, follows } of entries) {
    const record = records.get(id);
    expect(record && isFinal(record.state)).toBe(done !== undefined);
    if (record?.state === 'succeeded')
      expect((await checkFiles(store, record)).faults, id).toEqual([]);
    if (follows === undefined) continue;
    const leader = records.get(follows);
    expect(leader, `${follows}, which ${id} follows`).toBeDefined();
    expect(follows, 'the item itself').not.toBe(id);
    const chained = entries.find((entry) => entry.id === follows)?.follows;
    expect(chained, `what ${follows} follows in its turn`).toBeUndefined();
    expect(leader?.work).toBe(record?.work);
    if (leader && record)
      expect(canShare(leader.jobOptions ?? leader.options, record.options)).toBe(true);
  }
}

interface Row {
  readonly id: string;
  readonly sequence: string;
  readonly predictors: string;
}

const row = fc.record({
  sequence: fc.constantFrom('MKTAYIAKAA', 'MKTAYIAKCC', 'MKTAYIAKDD'),
  predictors: fc.subarray(PREDICTORS.slice(0, 3), { minLength: 1 }).map((all) => all.join()),
});
const named = (letter: string, all: readonly Omit<Row, 'id'>[]): Row[] =>
  all.map((cells, n) => ({ id: `${letter}${n}`, ...cells }));
const rows = fc.array(row, { maxLength: 6, minLength: 1 });

/** Most rows of the first manifest unchanged, some removed or changed, and new ones before or after them. */
const edited = fc
  .record({
    changes: fc.array(fc.option(fc.constantFrom('gone', 'changed'), { freq: 4 }), {
      minLength: 6,
      maxLength: 6,
    }),
    other: row,
    added: rows,
    first: fc.boolean(),
  })
  .map(({ changes, other, added, first }) => (former: readonly Row[]): Row[] => {
    const left = former
      .map((one, n) => (changes[n] === 'changed' ? { ...one, ...other } : one))
      .filter((_, n) => changes[n] !== 'gone');
    return first ? [...named('t', added), ...left] : [...left, ...named('t', added)];
  });
const FATES = ['waiting', 'running', 'succeeded', 'failed'] as const;
const history = fc.record({
  first: rows.map((all) => named('s', all)),
  fates: fc.array(fc.constantFrom(...FATES), { minLength: 10, maxLength: 10 }),
  delivered: fc.boolean(),
  edit: edited,
  /** Of another campaign: the contents of the cache. */
  cached: fc.array(row, { maxLength: 2 }),
  /** Whether the rows are added while others run, or prepared by another run. */
  grows: fc.boolean(),
});

async function takeIn(folder: string, all: readonly Row[], tree: Store | null, cache: ResultCache) {
  const path = join(folder, 'm.jsonl');
  await writeFile(path, all.map((one) => JSON.stringify(one)).join('\n'));
  const spool = new Spool();
  const addresses = { predictions: ADDRESS };
  const survey = await surveyManifests([path], { tree, cache, spool, addresses });
  // Without rows that the survey refuses: those that change a job which was sent.
  const ids = await Array.fromAsync(spool.items(), ({ id }) => id);
  return { survey, ids, planned: survey.shares.assign(spool.items()) };
}

async function run(folder: string, store: Store, all: readonly Row[], cache: ResultCache) {
  const tree = (await readPreparedCampaign(store)) ? store : null;
  const { survey, ids, planned } = await takeIn(folder, all, tree, cache);
  const known: Known = async ({ work, options }) => {
    const found = await cache.find({ work: work ?? '', options, address: ADDRESS });
    return typeof found === 'string' ? null : found;
  };
  await prepareCampaign(store, CAMPAIGN, planned, { pageSize: 3, known });
  await everyItemHasItsWay(store, ids);
  return survey;
}

const ownJobs = async (store: Store) =>
  (await allEntries(store)).filter(({ done, follows }) => !done && follows === undefined);

/** Brings items with their own job to these states, as an interrupted run would leave them. */
async function leave(store: Store, fates: readonly (typeof FATES)[number][]): Promise<void> {
  const error = { code: 'JOB_FAILED', message: 'no' };
  for (const { kind, id } of await ownJobs(store)) {
    const state = fates[Number(id.slice(1))] ?? 'waiting';
    const job = { remoteId: `job of ${id}`, address: ADDRESS };
    if (state === 'succeeded') await succeed(store, id);
    if (state === 'failed')
      await changeRecord(store, kind, id, { state, error, finishedAt: ENDED });
    if (state === 'running') await changeRecord(store, kind, id, { state, ...job });
  }
}

async function someCache(folder: string, all: readonly Omit<Row, 'id'>[]): Promise<ResultCache> {
  const tree = await temporaryStore();
  const cache = await cacheBeside(tree);
  if (all.length === 0) return cache;
  await run(folder, tree, named('c', all), cache);
  for (const { id } of await ownJobs(tree)) await cache.keep('night', await succeed(tree, id));
  return cache;
}

async function grow(folder: string, store: Store, all: readonly Row[], cache: ResultCache) {
  const before = await allEntries(store);
  const there = new Set(before.map(({ id }) => id));
  const { planned } = await takeIn(folder, all, null, cache);
  const former = await campaignIn(store);
  const grown = await growCampaign(store, former, CAMPAIGN, planned, { pageSize: 2 });
  const after = await allEntries(store);
  const added = all.map(({ id }) => id).filter((id) => !there.has(id));
  expect(after.map(({ id }) => id)).toEqual([...there, ...added]);
  expect(after.slice(0, before.length), 'pages that a workflow reads').toEqual(before);
  expect(grown.items).toBe(there.size + added.length);
  for (const { id, follows } of after) {
    if (follows === undefined) continue;
    const leader = after.find((entry) => entry.id === follows);
    expect([leader?.id, leader?.follows], `leader of ${id}`).toEqual([follows, undefined]);
  }
}

test('are prepared after any earlier run, or added to it, and need as many jobs as the survey counted', async () => {
  const folder = await temporaryFolder();
  let n = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ first, fates, delivered, edit, cached, grows }) => {
      const second = edit(first);
      const own = join(folder, String((n += 1)));
      await mkdir(own);
      const cache = await someCache(own, cached);
      const store = await temporaryStore();
      await run(own, store, first, cache);
      await leave(store, fates);
      if (grows) return grow(own, store, second, cache);
      if (delivered) await deliverTo(store);

      const survey = await run(own, store, second, cache);
      const unended = await ownJobs(store);
      const records = unended.map(({ kind, id }) => recordIn(store, kind, id));
      const jobs = (await Promise.all(records)).filter(({ remoteId }) => remoteId !== null);
      const submitted = jobs.length;
      expect(survey.submitted, 'jobs that are there').toBe(submitted);
      expect(survey.jobs['sequence'], 'jobs to be submitted').toBe(unended.length - submitted);
      const { ended, duplicates } = survey;
      const sum =
        ended + survey.submitted + duplicates + survey.cached + (survey.jobs['sequence'] ?? 0);
      expect(sum).toBe(survey.items);
    }),
    // A run takes less than a second: one that hangs ends with its example.
    { numRuns: 30, endOnFailure: true, plugins: [fc.timeout(60_000)] },
  );
});

const share = (leader: string, item: Item): AssignedItem => ({
  ...item,
  share: { leader, options: item.options },
});

test('a row that only seems to request the same work gets its own job, with its own options', async () => {
  const store = await temporaryStore();
  const [one, other] = [aSequenceOf('one', 0, ['dynamine']), aSequenceOf('other', 1, ['agmata'])];
  const gas = aMolecule('gas', {
    options: { kind: 'molecule', chargeMethod: 'gas', netCharge: 1, atomType: 'gaff' },
  });
  const bcc = { ...aMolecule('bcc'), share: { leader: 'one', options: gas.options } };
  const wrong = { ...gas, share: { leader: 'one', options: one.options } };
  const items = [share('one', one), share('one', other), bcc, wrong];
  expect(await prepareCampaign(store, CAMPAIGN, items)).toMatchObject({ following: 0 });
  for (const { kind, id, options } of items)
    expect(await recordIn(store, kind, id)).toMatchObject({ jobOptions: options, options });
});

// The last test of the file: the plugin stays.
test('a result that a plugin has accepted is not reused when the plugin has changed', async () => {
  const asPlugin = (sha256: string) =>
    registerKind(findKind('sequence'), { plugin: './own.ts', sha256 });
  asPlugin('a');
  const tree = await temporaryStore();
  await prepareCampaign(tree, CAMPAIGN, [aSequenceOf('one', 1, ['dynamine'])]);
  const record = await succeed(tree, 'one');
  const cache = await cacheBeside(tree);
  await cache.keep('night', record);
  const wanted = { work: record.work ?? '', options: readJobOptions(record), address: ADDRESS };
  expect(await cache.find(wanted)).toMatchObject({ inputSha256: record.input.sha256 });
  asPlugin('b');
  expect(await cache.find(wanted)).toBe('never computed');
});
