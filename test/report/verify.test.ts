/** The check of the promises can fail: each broken promise is detected. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishCampaign } from '../../src/report/publish.ts';
import { checksums } from '../../src/report/checksums.ts';
import { treeFaults, verifyTree } from '../../src/report/verify/tree.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { CAMPAIGN, END, FAILED, endItem, endedCampaign } from './a-campaign.ts';
import { everyKind, resultCampaign } from './tables/result-campaign.ts';

async function edit(store: Store, key: string, from: string | RegExp, to: string): Promise<void> {
  const text = (await store.readText(key)) ?? '';
  expect(text).toMatch(from);
  await store.write(key, text.replace(from, to));
}

async function change(store: Store, changes: Partial<ItemRecord>): Promise<void> {
  const record = await readItem(store, 'molecule', 'ethanol');
  if (record === null) throw new Error('ethanol is missing');
  await writeItem(store, { ...record, ...changes });
}

const MIXED_UP = {
  'result.json': '{"proteins":{"a":{"seq":["M","K"],"backbone":[0.5,0.6]}}}',
  'result.csv': 'sequence_id,residue,backbone\na,M,0.5\na,W,0.6\n',
};

/** Checksums that match the current files: only the comparison with the items can detect a change. */
async function signAnew(store: Store): Promise<void> {
  await store.write(
    'SHA256SUMS',
    checksums(store, () => undefined),
  );
}

const DERIVED: readonly (readonly [string, RegExp, (store: Store) => Promise<unknown>])[] = [
  [
    'a page of the report that was changed',
    /^report.html is not what was published: SHA256SUMS has another digest/,
    (store) => edit(store, 'report.html', '</html>', '<!-- --></html>'),
  ],
  [
    'an additional file',
    /^notes.txt is not in SHA256SUMS: it was added later/,
    (store) => store.write('notes.txt', 'mine'),
  ],
  [
    'a wrong entity of the crate, with a matching checksum',
    /^ro-crate-metadata.json, line \d+: the entity molecules\/water\/ is not what the tree gives/,
    async (store) => {
      await edit(
        store,
        'ro-crate-metadata.json',
        '"description":"failed"',
        '"description":"succeeded"',
      );
      await signAnew(store);
    },
  ],
  [
    'a missing entity of the crate, with a matching checksum',
    /^ro-crate-metadata.json lacks the entity sequences\/p1\//,
    async (store) => {
      await edit(store, 'ro-crate-metadata.json', /\{"@id":"sequences\/p1\/".*\n/, '');
      await signAnew(store);
    },
  ],
  [
    'columns that a table should not have',
    /^items.csv, line 1: the columns are not those of its items \(id, kind, status,/,
    async (store) => {
      await edit(store, 'items.csv', 'id,kind,state', 'id,kind,status');
      await signAnew(store);
    },
  ],
  [
    'a missing table',
    /^tables\/shifts.csv is missing/,
    (store) => store.remove('tables/shifts.csv'),
  ],
  [
    'a Parquet file that was changed, with a matching checksum',
    /^tables\/shifts.parquet does not contain the rows of its items/,
    async (store) => {
      const bytes = Buffer.from((await store.read('tables/shifts.parquet')) ?? []);
      bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
      await store.write('tables/shifts.parquet', bytes);
      await signAnew(store);
    },
  ],
  [
    'no crate',
    /^ro-crate-metadata.json is missing/,
    (store) => store.remove('ro-crate-metadata.json'),
  ],
];

const BROKEN: readonly (readonly [string, RegExp, (store: Store) => Promise<unknown>])[] = [
  [
    'a failure without a reason',
    /without a coded reason/,
    (store) => change(store, { state: 'failed', error: null }),
  ],
  ['a success without files', /without files/, (store) => change(store, { files: {} })],
  ['a success without a job', /without a job/, (store) => change(store, { remoteId: null })],
  [
    'a changed file',
    /not what was received/,
    (store) => edit(store, 'molecules/ethanol/result.json', 'ethanol', 'ethanal'),
  ],
  [
    'a table of another job, with its own digest',
    /sequences\/p1: result.csv has W for residue 2/,
    async (store) => {
      const record = await readItem(store, 'sequence', 'p1');
      if (record === null) throw new Error('p1 is missing');
      const files = { ...record.files };
      for (const [name, text] of Object.entries(MIXED_UP)) {
        const { bytes, sha256 } = await store.write(`sequences/p1/${name}`, text);
        files[name] = { bytes, sha256 };
      }
      await writeItem(store, { ...record, files });
    },
  ],
  ['a missing file', /is missing/, (store) => store.remove('sequences/p1/result.json')],
  ['a missing record', /item.json is missing/, (store) => store.remove('sequences/p1/item.json')],
  ['a stray file', /belongs to no item/, (store) => store.write('molecules/ethanol/x', 'x')],
  [
    'an unfinished file',
    /unfinished/,
    (store) => writeFile(join(store.location, 'molecules/.tmp-7'), ''),
  ],
  ['a lost row', /items.csv lacks item p1/, (store) => edit(store, 'items.csv', /\np1,.*\n/, '\n')],
  [
    'a row too many',
    /items.csv, line 5: p1 has 2 rows, not 1/,
    (store) => edit(store, 'items.csv', /(\np1,.*\n)$/, '$1p1,sequence,failed,,,,,,,,,,,,\n'),
  ],
  [
    'a wrong state',
    /items.csv, line 5: p1 has "held" for state, not "succeeded"/,
    (store) => edit(store, 'items.csv', /(\np1,\w+,)\w+/, '$1held'),
  ],
  [
    'a wrong count',
    /campaign.json counts 7 succeeded, not 2/,
    (store) => edit(store, 'campaign.json', /"succeeded": 2/, '"succeeded": 7'),
  ],
  ['an item twice', /water is listed twice/, (store) => edit(store, PAGE, '"ethanol"', '"water"')],
  [
    'a table with a row that does not belong there',
    /failed.csv, line 4: p1 does not belong there/,
    (store) => edit(store, 'failed.csv', /$/, 'p1,sequence,,,,,,,,\n'),
  ],
  ['a damaged page', /items-00000.json was changed or damaged/, (store) => store.write(PAGE, '[')],
  ['no checksums', /SHA256SUMS is missing/, (store) => store.remove('SHA256SUMS')],
  [
    'a checksum of a missing file',
    /nothing.txt is missing; SHA256SUMS lists it/,
    (store) => edit(store, 'SHA256SUMS', /$/, `${'0'.repeat(64)}  nothing.txt\n`),
  ],
  [
    'a campaign that was not prepared',
    /no prepared campaign/,
    (store) => store.remove('.hundredfold/campaign.json'),
  ],
];
const PAGE = '.hundredfold/items-00000.json';

const ITEMS = [aMolecule('ethanol'), aMolecule('water'), aSequence('p1')];

/** Published once; each case breaks a copy. */
let whole = '';

beforeAll(async () => {
  whole = await mkdtemp(join(tmpdir(), 'hundredfold-verify-'));
  const store = await endedCampaign(ITEMS, { water: FAILED }, await openFileStore(whole));
  await publishCampaign(store, END);
  expect(await treeFaults(store)).toEqual([]);
});
afterAll(() => rm(whole, { recursive: true, force: true }));

async function publishedTree(): Promise<Store> {
  const copy = await temporaryFolder();
  await cp(whole, copy, { recursive: true, preserveTimestamps: true });
  return openFileStore(copy);
}

test.each(BROKEN)('%s is detected', async (_, violation, breakIt) => {
  const store = await publishedTree();
  await breakIt(store);
  const { faults } = await verifyTree(store);
  expect(faults.map(({ message }) => message)).toContainEqual(expect.stringMatching(violation));
  for (const { path, message, remedy } of faults) {
    expect([path, message, remedy].filter((text) => text.trim() === '')).toEqual([]);
  }
});

describe('a campaign that has not ended is one error, without faults', () => {
  const refused = (ended: number) => ({
    code: 'CAMPAIGN_NOT_ENDED',
    message: `night has not ended (${ended} of 3)`,
    exitCode: 2,
  });

  test('while it runs, is paused or was interrupted, with a submission in flight', async () => {
    const store = await openFileStore(await temporaryFolder());
    await prepareCampaign(store, CAMPAIGN, ITEMS, { pageSize: 2 });
    await endItem(store, aMolecule('water'), FAILED);
    await store.write('molecules/ethanol/sending-0-0.json', '{}');
    await expect(verifyTree(store)).rejects.toMatchObject(refused(1));
    for (const item of ITEMS) await endItem(store, item, {});
    await expect(verifyTree(store)).rejects.toMatchObject(refused(3));
  });

  test('while items of a published tree run again', async () => {
    const store = await publishedTree();
    await change(store, { state: 'running' });
    await expect(verifyTree(store)).rejects.toMatchObject(refused(2));
  });
});

test('the note of a submission is no fault, whenever the tree was published', async () => {
  const store = await endedCampaign([aMolecule('ethanol'), aMolecule('water')]);
  await store.write('molecules/ethanol/sending-0-0.json', '{}');
  await publishCampaign(store, END);
  await store.write('molecules/water/sending-0-1.json', '{}');
  await store.write('molecules/elsewhere/sending-0-0.json', '{}');
  expect(await treeFaults(store)).toEqual([]);
  expect(await store.readText('SHA256SUMS')).not.toContain('sending-');
});

test.each(DERIVED)('%s is reported once', async (_, violation, breakIt) => {
  const store = await publishedTree();
  await breakIt(store);
  expect(await treeFaults(store)).toEqual([expect.stringMatching(violation)]);
});

test('one damaged byte of a result is one fault, with its path and a remedy', async () => {
  const store = await publishedTree();
  await edit(store, 'molecules/ethanol/result.json', 'ethanol', 'ethanal');
  expect((await verifyTree(store)).faults).toEqual([
    {
      check: 'files',
      path: 'molecules/ethanol/result.json',
      message: expect.stringContaining('is not what was received') as string,
      remedy: expect.stringContaining('hundredfold retry') as string,
    },
  ]);
});

describe('the tables of results', () => {
  const TABLE = 'tables/molecules.csv';

  async function published(): Promise<Store> {
    const store = await resultCampaign(everyKind());
    await publishCampaign(store, END);
    expect(await treeFaults(store)).toEqual([]);
    return store;
  }

  test('a wrong cell is reported with line, item and column', async () => {
    const store = await published();
    await edit(store, TABLE, 'C9H8O4', 'C9H8O5');
    await signAnew(store);
    expect(await treeFaults(store)).toEqual([
      `${TABLE}, line 2: aspirin has "C9H8O5" for formula, not "C9H8O4".`,
    ]);
  });

  test('missing rows are named, and the rows after them are not', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const store = await endedCampaign(ids.map((id) => aMolecule(id)));
    await publishCampaign(store, END);
    await edit(store, 'items.csv', /\nb,.*\nc,.*\nd,.*\n/, '\n');
    await signAnew(store);
    expect(await treeFaults(store)).toEqual(
      ['b', 'c', 'd'].map((id) => `items.csv lacks item ${id}.`),
    );
  });

  test('a missing table and a missing column are faults', async () => {
    const store = await published();
    await store.remove('tables/shift-measures.csv');
    await edit(store, TABLE, ',engine_version', '');
    await signAnew(store);
    expect(await treeFaults(store)).toEqual([
      'tables/shift-measures.csv is missing.',
      expect.stringContaining(`${TABLE}, line 1: the columns are not those of its items`),
    ]);
  });
});
