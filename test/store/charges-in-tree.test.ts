/** What an output tree records of submissions that may still count. */
import { expect, test } from 'vitest';
import { chargesInTree, credentialOfTree } from '../../src/store/charges-in-tree.ts';
import { waitingRecord, type ItemRecord } from '../../src/store/item-record.ts';
import { writeItem } from '../../src/store/item-store.ts';
import {
  pageEntry,
  writePage,
  writePreparedCampaign,
  RowCounter,
} from '../../src/store/prepared-campaign.ts';
import { aSequence } from './an-item.ts';
import { temporaryStore } from './temporary-store.ts';

const HOUR = 3_600_000;
const ADDRESS = 'host';
const now = Date.UTC(2026, 5, 1);
const ago = (ms: number) => new Date(now - ms).toISOString();

async function aTree(records: readonly ItemRecord[]) {
  const store = await temporaryStore();
  for (const record of records) await writeItem(store, record, { durable: false });
  const entries = records.map(pageEntry);
  const counter = new RowCounter();
  counter.add(entries);
  await writePage(store, 0, entries);
  await writePreparedCampaign(store, {
    name: 'c',
    pages: 1,
    items: records.length,
    counts: counter.counts,
    manifestDigests: [],
    settings: { services: { predictions: { credential: 'c0ffee00' } } },
  });
  return store;
}

function record(id: string, changes: Partial<ItemRecord>): ItemRecord {
  return { ...waitingRecord(aSequence(id)), address: ADDRESS, ...changes };
}

test('lists only the jobs of this address and this tree within the window', async () => {
  const attempt = { at: ago(1_000), outcome: 'unsure' } as const;
  const store = await aTree([
    record('recent', { remoteId: 'r1', submittedAt: ago(HOUR - 1) }),
    record('old', { remoteId: 'r2', submittedAt: ago(HOUR + 1) }),
    record('elsewhere', { remoteId: 'r3', submittedAt: ago(0), address: 'other' }),
    record('cached', {
      remoteId: 'r4',
      submittedAt: ago(0),
      resultFrom: { type: 'cache', campaign: 'x', id: 'y' },
    }),
    record('ahead', { remoteId: 'r5', submittedAt: ago(-HOUR) }),
    record('held', { attempts: [attempt] }),
    record('found', { remoteId: 'r6', submittedAt: ago(500), attempts: [attempt] }),
    record('waiting', {}),
  ]);
  const jobs = await chargesInTree(store, ADDRESS, HOUR, now);
  expect(jobs.map(({ remoteId }) => remoteId).sort()).toEqual(
    ['r1', 'r5', 'r6', `unsure held ${attempt.at}`].sort(),
  );
  expect(jobs.find(({ remoteId }) => remoteId === 'r1')?.closedAt).toBe(now - HOUR + 1);
  expect(await credentialOfTree(store, 'predictions')).toBe('c0ffee00');
  expect(await credentialOfTree(store, 'molecules')).toBeNull();
});
