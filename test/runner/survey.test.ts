/** What a manifest would do: rows, duplicates, known and cached ones, jobs. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  Spool,
  checkChangedRow,
  type Survey,
  surveyManifests,
  type SurveyOptions,
} from '../../src/runner/survey.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { createWaitingRecord, readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import type { Store } from '../../src/store/store.ts';
import { succeeded } from '../store/a-result.ts';
import { aMolecule } from '../store/an-item.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { cacheBeside, temporaryStore } from '../store/temporary-store.ts';

interface Surveyed {
  readonly survey: Survey;
  readonly spool: Spool;
}

async function surveyed(csv: string, options: Partial<SurveyOptions> = {}): Promise<Surveyed> {
  const folder = await temporaryFolder();
  const path = join(folder, 'm.csv');
  await writeFile(path, csv);
  const spool = new Spool();
  const survey = await surveyManifests([path], {
    tree: null,
    cache: null,
    addresses: { predictions: 'host' },
    spool,
    ...options,
  });
  return { survey, spool };
}

/** The tree of a campaign with these rows. */
async function prepared({ survey, spool }: Pick<Surveyed, 'survey' | 'spool'>): Promise<Store> {
  const store = await openFileStore(await temporaryFolder());
  const campaign = { name: 'n', manifestDigests: [], settings: {} };
  await prepareCampaign(store, campaign, survey.shares.assign(spool.items()));
  return store;
}

const A = 'MKTAYIAKAA';
const B = 'MKTAYIAKDC';

describe('a survey', () => {
  test('counts rows, kinds, problems, duplicates and jobs, and separates valid and invalid rows', async () => {
    const lines = [
      'id,kind,sequence,smiles,predictors',
      `a,,${A},,dynamine`,
      `b,,${A},,agmata`,
      `c,,${B},,`,
      'd,,,CCO,',
      'e,,,CCO,',
      'f,nonsense,,CCO,',
      'g,,MK1,,',
      '',
    ];
    const { survey, spool } = await surveyed(lines.join('\n'));
    expect(survey).toMatchObject({
      rows: 7,
      invalid: 2,
      brokenFiles: 0,
      items: 5,
      ended: 0,
      submitted: 0,
      cached: 0,
      duplicates: 2,
      jobs: { sequence: 2, molecule: 1, alignment: 0, shifts: 0 },
      notCached: { 'no cache': 3 },
    });
    const { problems } = survey;
    expect(survey.errors).toBe(problems.filter(({ severity }) => severity === 'error').length);
    expect((await Array.fromAsync(spool.items())).map(({ id }) => id)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
    ]);
    const refused = await Array.fromAsync(spool.invalid());
    expect(refused.map(({ id, source }) => `${id} ${source.line}`)).toEqual(['f 7', 'g 8']);
    for (const { code } of refused) expect(problems.map((problem) => problem.code)).toContain(code);
  });
});

describe('a survey over existing items', () => {
  const tree = async (csv: string) => prepared(await surveyed(csv));
  async function change(store: Store, id: string, changes: Partial<ItemRecord>): Promise<void> {
    const record = await readItem(store, 'sequence', id);
    if (record) await writeItem(store, { ...record, ...changes });
  }

  const rows = `id,sequence\na,${A}\nb,${B}\nc,MKTAYIAKCC\nd,MKTAYIAKDD\n`;
  const error = { code: 'JOB_FAILED', message: 'no' };
  const DONE = { state: 'succeeded', remoteId: 'x', address: 'host' } as const;

  test('counts what has ended, what is submitted, and what remains', async () => {
    const store = await tree(rows);
    await change(store, 'a', DONE);
    await change(store, 'b', { state: 'failed', error });
    await change(store, 'c', { state: 'running', remoteId: 'y', address: 'host' });
    const { survey } = await surveyed(`${rows}e,MKTAYIAKEE\n`, { tree: store });
    const notCached = { 'no cache': 1 };
    expect(survey).toMatchObject({ ended: 2, submitted: 1, jobs: { sequence: 2 }, notCached });
  });

  test('a changed row is refused, and listed with the invalid rows; a corrected one is not', async () => {
    const store = await tree(rows);
    await change(store, 'a', DONE);
    await change(store, 'b', { state: 'failed', error });
    const changed = `id,sequence\na,MKTAYIAKWW\nb,MKTAYIAKYY\n`;
    const { survey, spool } = await surveyed(changed, { tree: store });
    expect(survey).toMatchObject({ rows: 2, invalid: 1, errors: 1, jobs: { sequence: 1 } });
    expect((await Array.fromAsync(spool.items())).map(({ id }) => id)).toEqual(['b']);
    const refused = { id: 'a', code: 'MANIFEST_ROW_CHANGED', source: { line: 2 } };
    expect(await Array.fromAsync(spool.invalid())).toMatchObject([refused]);
  });

  test('a cached row needs no job; additional predictors of a row do', async () => {
    const store = await temporaryStore();
    const cache = await cacheBeside(store);
    const head = 'id,sequence,predictors\n';
    const { spool } = await surveyed(`${head}c,${A},dynamine\n`);
    const [item] = await Array.fromAsync(spool.items());
    if (item) await cache.keep('night', await succeeded(store, item));
    const lines = [`a,${A},dynamine`, `b,${A},dynamine`, `c,${A},agmata`, `d,${A},agmata`];
    const { survey } = await surveyed(`${head}${lines.join('\n')}\n`, { cache });
    const notCached = { 'other predictors': 1 };
    expect(survey).toMatchObject({ cached: 1, duplicates: 2, jobs: { sequence: 1 }, notCached });
    const addresses = { predictions: 'other' };
    const elsewhere = await surveyed(`${head}a,${A},dynamine\n`, { cache, addresses });
    expect(elsewhere.survey).toMatchObject({ cached: 0, notCached: { 'never computed': 1 } });
  });
});

describe('a row that differs from the one whose job is on disk', () => {
  const at = (smiles: string) => ({ row: { id: 'm', smiles, net_charge: '' } });
  const FORMER = createWaitingRecord(aMolecule('m', at('CCO')));
  const NOW = aMolecule('m', { ...at('CCN'), source: { file: 'new.csv', line: 7 } });

  test('is reported with its column, both versions and both places', () => {
    const problem = checkChangedRow({ ...FORMER, state: 'succeeded' }, NOW, false);
    const place = { file: 'new.csv', line: 7, id: 'm', column: 'smiles', value: 'CCN' };
    expect(problem).toMatchObject({ severity: 'error', code: 'MANIFEST_ROW_CHANGED', ...place });
    for (const word of ['CCO', 'CCN', 'batch.csv line 2', 'succeeded'])
      expect(problem?.message, problem?.message).toContain(word);
  });
});
