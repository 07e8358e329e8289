/**
 * The check of the promises can fail: each broken promise is detected, with the faults of test/goldens/faults.txt. A changed
 * line needs a sentence in its commit.
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishCampaign } from '../../src/report/publish.ts';
import { verifyTree } from '../../src/report/verify.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { CAMPAIGN, END, FAILED, endItem, endedCampaign } from './a-campaign.ts';

type Break = (store: Store) => Promise<unknown>;

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
  let lines = '';
  for (const line of ((await store.readText('SHA256SUMS')) ?? '').split('\n')) {
    const key = line.slice(66);
    const digest = key === '' ? null : await store.digest(key);
    if (digest !== null) lines += `${digest.sha256}  ${key}\n`;
  }
  await store.write('SHA256SUMS', lines);
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

async function flipBitOf(store: Store): Promise<void> {
  const bytes = Buffer.from((await store.read('tables/shifts.parquet')) ?? []);
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
  await store.write('tables/shifts.parquet', bytes);
  await signAnew(store);
}

const MIXED_UP = {
  'result.json': '{"proteins":{"a":{"seq":["M","K"],"backbone":[0.5,0.6]}}}',
  'result.csv': 'sequence_id,residue,backbone\na,M,0.5\na,W,0.6\n',
};

/** Files of p1, with their own digests. */
async function mixUp(store: Store): Promise<void> {
  const record = await readItem(store, 'sequence', 'p1');
  if (record === null) throw new Error('p1 is missing');
  const files = { ...record.files };
  for (const [name, text] of Object.entries(MIXED_UP)) {
    const { bytes, sha256 } = await store.write(`sequences/p1/${name}`, text);
    files[name] = { bytes, sha256 };
  }
  await writeItem(store, { ...record, files });
}

const PAGE = '.hundredfold/items-00000.json';
const NOTHING = `${'0'.repeat(64)}  nothing.txt\n`;

const BREAKS: Readonly<Record<string, Break>> = {
  // What is computed from the items: one fault each.
  'a changed page of the report': editing('report.html', '</html>', '<!-- --></html>'),
  'an additional file': writing('notes.txt', 'mine'),
  'a wrong entity of the crate': editSigned(CRATE, '"description":"failed ', '"description":"ok '),
  'columns that a table should not have': editSigned('items.csv', 'kind,state', 'kind,status'),
  'a wrong cell of a table': editSigned('items.csv', 'job-ethanol', 'job-another'),
  'a missing row': editSigned('items.csv', /\nethanol,.*\n/, '\n'),
  'a missing table': removing('tables/shifts.csv'),
  'a Parquet file that was changed': flipBitOf,
  'no crate': removing(CRATE),
  'one damaged byte of a result': editing('molecules/ethanol/result.json', 'ethanol', 'ethanal'),
  // What is recorded.
  'a failure without a reason': changing({ state: 'failed', error: null }),
  'a success without files': changing({ files: {} }),
  'a success without a job': changing({ remoteId: null }),
  'a table of another job': mixUp,
  'a missing file': removing('sequences/p1/result.json'),
  'a stray file': writing('molecules/ethanol/x', 'x'),
  'an unfinished file': (store) => writeFile(join(store.location, 'molecules/.tmp-7'), ''),
  'a row too many': editing('items.csv', /(p1,.*\n)$/, '$1$1'),
  'a wrong count': editing('campaign.json', '"succeeded": 2', '"succeeded": 7'),
  'an item twice': editing(PAGE, '"ethanol"', '"water"'),
  'a row in the wrong table': editing('failed.csv', /$/, 'p1,sequence,,,,,,,,\n'),
  'no checksums': removing('SHA256SUMS'),
  'a checksum of no file': editing('SHA256SUMS', /$/, NOTHING),
  'a line of the checksums that is none': editing('SHA256SUMS', /$/, 'tampered\n'),
  'a campaign never prepared': removing('.hundredfold/campaign.json'),
};

const ITEMS = [aMolecule('ethanol'), aMolecule('water'), aSequence('p1')];

/** Published once; each case breaks a copy. */
let whole = '';

beforeAll(async () => {
  whole = await mkdtemp(join(tmpdir(), 'hundredfold-verify-'));
  const store = await endedCampaign(ITEMS, { water: FAILED }, await openFileStore(whole));
  await publishCampaign(store, END);
  expect((await verifyTree(store)).faults).toEqual([]);
});
afterAll(() => rm(whole, { recursive: true, force: true }));

async function publishedTree(): Promise<Store> {
  const copy = await temporaryFolder();
  await cp(whole, copy, { recursive: true, preserveTimestamps: true });
  return openFileStore(copy);
}

test('every broken promise has the faults of the golden, each with its path and a remedy', async () => {
  const told: string[] = [];
  for (const [what, breakIt] of Object.entries(BREAKS)) {
    const store = await publishedTree();
    await breakIt(store);
    const { faults } = await verifyTree(store);
    expect(faults.length, what).toBeGreaterThan(0);
    told.push(what);
    for (const { check, path, message, remedy } of faults) {
      const words = `${message}\n    ${remedy}`.replaceAll(store.location, 'TREE');
      told.push(`  ${check} ${path}: ${words}`);
    }
  }
  const text = told.join('\n').replaceAll(/\b[0-9a-f]{64}\b/g, 'DIGEST');
  await expect(`${text}\n`).toMatchFileSnapshot('../goldens/faults.txt');
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
  expect((await verifyTree(store)).faults).toEqual([]);
  expect(await store.readText('SHA256SUMS')).not.toContain('sending-');
});
