/** What an output tree records of submissions that may still count. */
import { expect, test } from 'vitest';
import { listTreeCharges, readTreeCredential } from '../../src/store/jobs-in-tree.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { buildItemKey, nameSendingNote } from '../../src/store/layout.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { aSequence } from './an-item.ts';
import { CAMPAIGN, changeRecord } from './store-expectations.ts';
import { temporaryStore } from './temporary-store.ts';

const HOUR = 3_600_000;
const address = 'host';
const now = Date.UTC(2026, 5, 1);
const ago = (ms: number) => new Date(now - ms).toISOString();

test('lists only the jobs of this address and this tree within the window', async () => {
  const attempts = [{ at: ago(1_000), outcome: 'unsure' }] as const;
  const job = (remoteId: string, ms: number) => ({ address, remoteId, submittedAt: ago(ms) });
  const records: Readonly<Record<string, Partial<ItemRecord>>> = {
    recent: job('r1', HOUR - 1),
    old: job('r2', HOUR + 1),
    elsewhere: { ...job('r3', 0), address: 'other' },
    cached: { ...job('r4', 0), resultFrom: { type: 'cache', campaign: 'x', id: 'y' } },
    ahead: job('r5', -HOUR),
    held: { address, attempts },
    found: { ...job('r6', 500), attempts },
    waiting: { address },
  };
  const store = await temporaryStore();
  const settings = { services: { predictions: { credential: 'c0ffee00' } } };
  const items = Object.keys(records).map((id) => aSequence(id));
  await prepareCampaign(store, { ...CAMPAIGN, settings }, items);
  for (const [id, changes] of Object.entries(records))
    await changeRecord(store, 'sequence', id, changes);
  const jobs = await listTreeCharges(store, address, HOUR, false, now);
  const unsure = `unsure held ${ago(1_000)}`;
  expect(jobs.map(({ remoteId }) => remoteId).sort()).toEqual(['r1', 'r5', 'r6', unsure]);
  expect(jobs.find(({ remoteId }) => remoteId === 'r1')?.closedAt).toBe(now - HOUR + 1);

  // The clocks of two hosts differ by less than ten minutes, and what only a note tells counts as well.
  const note = { at: ago(2_000), service: 'predictions', address, credential: 'c0ffee00' };
  const write = (id: string, attempt: number, more: object) =>
    store.write(
      buildItemKey('sequence', id, nameSendingNote(0, attempt)),
      JSON.stringify({ ...note, ...more }),
    );
  await write('waiting', 0, { refused: { status: 400, message: 'no' } });
  await write('waiting', 1, { remoteId: 'n1', answeredAt: ago(1_500) });
  await write('waiting', 2, {});
  await write('cached', 0, { address: 'other' });
  const latest = await listTreeCharges(store, address, HOUR, true, now);
  const noted = ['n1', `unsure waiting ${ago(2_000)}`];
  const all = ['r1', 'r2', 'r5', 'r6', unsure, ...noted];
  expect(latest.map(({ remoteId }) => remoteId).sort()).toEqual(all.sort());
  expect(latest.find(({ remoteId }) => remoteId === 'n1')?.closedAt).toBe(now - 1_500 + 600_000);
  expect(await readTreeCredential(store, 'predictions')).toBe('c0ffee00');
  expect(await readTreeCredential(store, 'molecules')).toBeNull();
});
