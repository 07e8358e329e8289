/** The check of the promises can fail: each broken promise is detected. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checksums } from '../../src/report/checksums.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { treeFaults, verifyTree } from '../../src/report/verify/tree.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { CAMPAIGN, END, FAILED, endItem, endedCampaign } from './a-campaign.ts';

type Break = readonly [what: string, fault: RegExp, breakIt: (store: Store) => Promise<unknown>];

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

/** Checksums that match the current files: only the comparison with the items can detect a change. */
async function signAnew(store: Store): Promise<void> {
  await store.write(
    'SHA256SUMS',
    checksums(store, () => undefined),
  );
}

const removing = (key: string) => (store: Store) => store.remove(key);
const writing = (key: string, text: string) => (store: Store) => store.write(key, text);
const editing = (key: string, from: string | RegExp, to: string) => (store: Store) =>
  edit(store, key, from, to);
const changing = (changes: Partial<ItemRecord>) => (store: Store) => change(store, changes);

function editSigned(key: string, from: string | RegExp, to: string) {
  return async (store: Store): Promise<void> => {
    await edit(store, key, from, to);
    await signAnew(store);
  };
}

const CRATE = 'ro-crate-metadata.json';

/** What is computed from the items: exactly one fault each. */
const DERIVED: readonly Break[] = [
  [
    'a changed page of the report',
    /^report.html is not what was published/,
    editing('report.html', '</html>', '<!-- --></html>'),
  ],
  ['an additional file', /^notes.txt is not in SHA256SUMS/, writing('notes.txt', 'mine')],
  [
    'a wrong entity of the crate, with a matching checksum',
    /^ro-crate-metadata.json, line \d+: the entity molecules\/water\/ is not what the tree gives/,
    editSigned(CRATE, '"description":"failed"', '"description":"succeeded"'),
  ],
  [
    'columns that a table should not have',
    /^items.csv, line 1: the columns are not those of its items \(id, kind, status,/,
    editSigned('items.csv', 'id,kind,state', 'id,kind,status'),
  ],
  [
    'a wrong cell of a table, with a matching checksum',
    /^items.csv, line 2: ethanol has "job-another" for remote_id, not "job-ethanol"\.$/,
    editSigned('items.csv', 'job-ethanol', 'job-another'),
  ],
  [
    'a missing row, with a matching checksum',
    /^items.csv lacks item ethanol\.$/,
    editSigned('items.csv', /\nethanol,.*\n/, '\n'),
  ],
  ['a missing table', /^tables\/shifts.csv is missing/, removing('tables/shifts.csv')],
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
  ['no crate', /^ro-crate-metadata.json is missing/, removing(CRATE)],
];

const MIXED_UP = {
  'result.json': '{"proteins":{"a":{"seq":["M","K"],"backbone":[0.5,0.6]}}}',
  'result.csv': 'sequence_id,residue,backbone\na,M,0.5\na,W,0.6\n',
};
const PAGE = '.hundredfold/items-00000.json';

const BROKEN: readonly Break[] = [
  [
    'a failure without a reason',
    /without a coded reason/,
    changing({ state: 'failed', error: null }),
  ],
  ['a success without files', /without files/, changing({ files: {} })],
  ['a success without a job', /without a job/, changing({ remoteId: null })],
  [
    'a table of another job, with its own digest',
    /sequences\/p1: result.csv has rows of/,
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
  ['a missing file', /is missing/, removing('sequences/p1/result.json')],
  ['a stray file', /belongs to no item/, writing('molecules/ethanol/x', 'x')],
  [
    'an unfinished file',
    /unfinished/,
    (store) => writeFile(join(store.location, 'molecules/.tmp-7'), ''),
  ],
  [
    'a row too many',
    /items.csv, line 5: p1 has 2 rows/,
    editing('items.csv', /(p1,.*\n)$/, '$1$1'),
  ],
  [
    'a wrong count',
    /counts 7 succeeded, not 2/,
    editing('campaign.json', '"succeeded": 2', '"succeeded": 7'),
  ],
  ['an item twice', /water is listed twice/, editing(PAGE, '"ethanol"', '"water"')],
  [
    'a row in the wrong table',
    /failed.csv, line 4: p1 does not belong/,
    editing('failed.csv', /$/, 'p1,sequence,,,,,,,,\n'),
  ],
  ['no checksums', /SHA256SUMS is missing/, removing('SHA256SUMS')],
  [
    'a checksum of no file',
    /nothing.txt is missing/,
    editing('SHA256SUMS', /$/, `${'0'.repeat(64)}  nothing.txt\n`),
  ],
  ['a campaign never prepared', /no prepared campaign/, removing('.hundredfold/campaign.json')],
];

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

test.each(BROKEN)('%s is detected', async (_, fault, breakIt) => {
  const store = await publishedTree();
  await breakIt(store);
  const { faults } = await verifyTree(store);
  expect(faults.map(({ message }) => message)).toContainEqual(expect.stringMatching(fault));
  for (const { path, message, remedy } of faults) {
    expect([path, message, remedy].filter((text) => text.trim() === '')).toEqual([]);
  }
});

test.each(DERIVED)('%s is reported once', async (_, fault, breakIt) => {
  const store = await publishedTree();
  await breakIt(store);
  expect(await treeFaults(store)).toEqual([expect.stringMatching(fault)]);
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

test('a campaign that has not ended, or runs again, is one error, without faults', async () => {
  const refused = (ended: number) => ({
    code: 'CAMPAIGN_NOT_ENDED',
    message: `night has not ended (${ended} of 3)`,
    exitCode: 2,
  });
  const store = await openFileStore(await temporaryFolder());
  await prepareCampaign(store, CAMPAIGN, ITEMS, { pageSize: 2 });
  await endItem(store, aMolecule('water'), FAILED);
  await store.write('molecules/ethanol/sending-0-0.json', '{}');
  await expect(verifyTree(store)).rejects.toMatchObject(refused(1));
  const again = await publishedTree();
  await change(again, { state: 'running' });
  await expect(verifyTree(again)).rejects.toMatchObject(refused(2));
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
