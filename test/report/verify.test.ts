/** The check of the promises can fail: each broken promise is seen. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publishCampaign } from '../../src/report/publish.ts';
import { verifyTree } from '../../src/report/verify.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import type { Store } from '../../src/store/store.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { END, FAILED, endedCampaign } from './a-campaign.ts';

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

const BROKEN: readonly (readonly [string, RegExp, (store: Store) => Promise<unknown>])[] = [
  ['an open item', /ethanol is still fetching/, (store) => change(store, { state: 'fetching' })],
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
    /items.csv has item p1 twice/,
    (store) => edit(store, 'items.csv', /(\np1,.*\n)$/, '$1p1,sequence,failed,,,,,,,,,,,,\n'),
  ],
  [
    'a wrong state',
    /calls p1 held/,
    (store) => edit(store, 'items.csv', /(\np1,\w+,)\w+/, '$1held'),
  ],
  [
    'a row in failed.csv that succeeded',
    /failed.csv has p1/,
    (store) => edit(store, 'failed.csv', /$/, 'p1,sequence,,,,\n'),
  ],
  [
    'a wrong count',
    /campaign.json counts 7 succeeded, not 2/,
    (store) => edit(store, 'campaign.json', /"succeeded": 2/, '"succeeded": 7'),
  ],
  ['an item twice', /water stands twice/, (store) => edit(store, PAGE, '"ethanol"', '"water"')],
  [
    'a table that is no table',
    /Invalid Record Length/,
    (store) => edit(store, 'failed.csv', /$/, 'p1,sequence,,,,,,,,\n'),
  ],
  ['a damaged page', /items-00000.json was changed or damaged/, (store) => store.write(PAGE, '[')],
  ['no checksums', /SHA256SUMS is missing/, (store) => store.remove('SHA256SUMS')],
  [
    'a checksum for nothing',
    /lists nothing.txt/,
    (store) => edit(store, 'SHA256SUMS', /$/, `${'0'.repeat(64)}  nothing.txt\n`),
  ],
  [
    'a campaign that was not prepared',
    /no prepared campaign/,
    (store) => store.remove('.hundredfold/campaign.json'),
  ],
];
const PAGE = '.hundredfold/items-00000.json';

test.each(BROKEN)('%s is seen', async (_, violation, breakIt) => {
  const items = [aMolecule('ethanol'), aMolecule('water'), aSequence('p1')];
  const store = await endedCampaign(items, { water: FAILED });
  await publishCampaign(store, END);
  expect(await verifyTree(store)).toEqual([]);
  await breakIt(store);
  expect(await verifyTree(store)).toContainEqual(expect.stringMatching(violation));
});
