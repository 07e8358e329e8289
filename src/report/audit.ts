/**
 * Promise 5: what is on disk is whole and right. Before a campaign is published every file of every
 * item is read once more and compared with the digest that was taken when it arrived.
 */
import { setImmediate } from 'node:timers/promises';
import type { FileDigest } from '../store/digest.ts';
import { inParallel } from '../store/in-parallel.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { writeItem } from '../store/item-store.ts';
import { itemKey } from '../store/layout.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { itemPages, type CampaignItem } from './campaign-items.ts';
import type { AuditKeeper } from './kept-audit.ts';

/** The code of an item whose files are not what was received. */
export const DIGEST_MISMATCH = 'STORE_DIGEST_MISMATCH';

/**
 * What the findings make of a record. A success with a damaged file is none (`failed`, and so in
 * failed.csv); when the files are mended by hand the same check gives it back. Another item keeps
 * its state and its first reason.
 */
export function verdict(record: ItemRecord, faults: readonly string[]): ItemRecord {
  if (record.state === 'succeeded' && faults.length > 0) {
    return {
      ...record,
      state: 'failed',
      error: { code: DIGEST_MISMATCH, message: faults.join(' ') },
    };
  }
  const mismatched = record.state === 'failed' && record.error?.code === DIGEST_MISMATCH;
  // Without files nothing was mended: it never got those of the item whose job it shares.
  if (mismatched && faults.length === 0 && Object.keys(record.files).length > 0) {
    return { ...record, state: 'succeeded', error: null };
  }
  return record;
}

/** The files of an item that are missing or changed, a sentence each. */
export async function faultsOf(store: Store, record: ItemRecord): Promise<readonly string[]> {
  return (await fileFaults(store, record)).map(({ message }) => message);
}

/** The same with the key of each file. */
export async function fileFaults(
  store: Store,
  record: ItemRecord,
): Promise<readonly { readonly key: string; readonly message: string }[]> {
  const faults: { key: string; message: string }[] = [];
  for (const [name, expected] of recordedFiles(record)) {
    const key = itemKey(record.kind, record.id, name);
    const message = differenceFrom(expected, await store.digest(key));
    if (message !== null) faults.push({ key, message: `${key} ${message}.` });
  }
  return faults;
}

function differenceFrom(expected: FileDigest, found: FileDigest | null): string | null {
  if (found === null) return 'is missing';
  if (found.bytes !== expected.bytes) {
    return `has ${found.bytes} bytes instead of ${expected.bytes}`;
  }
  if (found.sha256 === expected.sha256) return null;
  return `is not what was received: its SHA-256 is ${found.sha256}`;
}

/** All files a record vouches for: the input, what the user gave in its place, and what was fetched. */
export function recordedFiles({
  input,
  files,
}: ItemRecord): readonly (readonly [string, FileDigest])[] {
  const { original } = input;
  return [
    [input.name, input],
    ...(original ? [[original.name, original] as const] : []),
    ...Object.entries(files),
  ];
}

export interface AuditedItem {
  /** With the record as the findings leave it. */
  readonly item: CampaignItem;
  /** What is wrong with its files, a sentence each. */
  readonly faults: readonly string[];
}

export interface AuditOptions {
  /** Writes the records that the findings contradict as they should be; without it the tree is only read. */
  readonly correct: boolean;
  /** Pages that it has are not read again; nothing is kept without one. */
  readonly keeper?: AuditKeeper;
}

/** Checks all items, in manifest order. */
export async function* auditedItems(
  store: Store,
  campaign: PreparedCampaign,
  { correct, keeper }: AuditOptions,
): AsyncGenerator<AuditedItem> {
  for await (const page of itemPages(store, campaign)) {
    const isKept = await keeper?.has(page);
    const audited = isKept ? page.map(asWhole) : await auditPage(store, page, correct);
    yield* audited;
    const isWhole = audited.every(({ faults }) => faults.length === 0);
    if (isWhole && !isKept) await keeper?.keep(audited.map(({ item }) => item));
    // With a store that blocks nothing else would have its turn until the end, not even Ctrl-C.
    await setImmediate();
  }
}

async function auditPage(
  store: Store,
  page: readonly CampaignItem[],
  correct: boolean,
): Promise<readonly AuditedItem[]> {
  const audited = new Map<CampaignItem, AuditedItem>();
  await inParallel(page, store.atOnce, async (item) => {
    audited.set(item, await auditItem(store, item, correct));
  });
  return page.flatMap((item) => audited.get(item) ?? []);
}

function asWhole(item: CampaignItem): AuditedItem {
  return { item, faults: [] };
}

async function auditItem(store: Store, item: CampaignItem, correct: boolean): Promise<AuditedItem> {
  const { record, damage } = item;
  if (record === null) return { item, faults: damage === null ? [] : [damage.message] };
  const faults = await faultsOf(store, record);
  const corrected = verdict(record, faults);
  if (correct && corrected !== record) await writeItem(store, corrected);
  return { item: { ...item, record: corrected }, faults };
}
