/** Helpers for tests of the store. */
import { expect } from 'vitest';
import type { ErrorCode } from '../../src/domain/errors.ts';
import type { Kind } from '../../src/domain/campaign.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import {
  type PageEntry,
  readPage,
  readPreparedCampaign,
  type PreparedCampaign,
} from '../../src/store/prepared-campaign.ts';
import { type Store, StoreError } from '../../src/store/store.ts';

export const CAMPAIGN = { name: 'night', manifestDigests: [], settings: {} };

/** The error that the work must fail with. */
export async function expectCode(work: Promise<unknown>, code: ErrorCode): Promise<StoreError> {
  const error = await work.then(
    () => new Error('the store accepted what it has to refuse'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StoreError)) throw error;
  expect(error.code, error.message).toBe(code);
  expect(error.remedy).not.toBe('');
  return error;
}

/** A page without what its rows request, which test/store/prepare.test.ts covers. */
export async function entriesIn(store: Store, page: number): Promise<Omit<PageEntry, 'asks'>[]> {
  return (await readPage(store, page)).map(({ asks: _, ...entry }) => entry);
}

export async function campaignIn(store: Store): Promise<PreparedCampaign> {
  const campaign = await readPreparedCampaign(store);
  if (!campaign) throw new Error('not prepared');
  return campaign;
}

/** Of all pages. */
export async function allEntries(store: Store) {
  const { pages } = await campaignIn(store);
  return (await Promise.all(Array.from({ length: pages }, (_, n) => entriesIn(store, n)))).flat();
}

export async function recordIn(store: Store, kind: Kind, id: string): Promise<ItemRecord> {
  const record = await readItem(store, kind, id);
  if (!record) throw new Error(`${id} has no record`);
  return record;
}

/** Brings an item to a state, as the activities do. */
export async function changeRecord(
  store: Store,
  kind: Kind,
  id: string,
  changes: Partial<ItemRecord>,
): Promise<ItemRecord> {
  const record = { ...(await recordIn(store, kind, id)), ...changes };
  await writeItem(store, record);
  return record;
}

/** The chunks, one by one. */
export async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    await Promise.resolve();
    yield Buffer.from(text, 'utf8');
  }
}
