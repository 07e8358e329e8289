/**
 * Promise 5: the files on disk are complete and correct. Before a campaign is published, every file of every item is
 * read again and compared with the digest that was computed when it arrived.
 */
import type { StoreCode } from '../domain/error-codes/registry.ts';
import type { FileDigest } from '../store/digest.ts';
import { inParallel } from '../store/in-parallel.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { writeItem } from '../store/item-store.ts';
import { itemKey } from '../store/layout.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { type CampaignItem, itemPages } from './campaign-items.ts';

/** The code of an item whose files differ from what was received. */
const DIGEST_MISMATCH = 'STORE_DIGEST_MISMATCH' satisfies StoreCode;

/**
 * Applies the findings to a record. A success with a damaged file becomes `failed`, and is listed in failed.csv; once
 * the user has repaired the files, the same check restores it. Any other item keeps its state and its first reason.
 */
function verdict(record: ItemRecord, faults: readonly string[]): ItemRecord {
  if (record.state === 'succeeded' && faults.length > 0) {
    return {
      ...record,
      state: 'failed',
      error: { code: DIGEST_MISMATCH, message: faults.join(' ') },
    };
  }
  const mismatched = record.state === 'failed' && record.error?.code === DIGEST_MISMATCH;
  // An item without files was not repaired: it never received those of the item whose job it shares.
  if (mismatched && faults.length === 0 && Object.keys(record.files).length > 0) {
    return { ...record, state: 'succeeded', error: null };
  }
  return record;
}

/** The missing or changed files of an item, one sentence each. */
export async function faultsOf(store: Store, record: ItemRecord): Promise<readonly string[]> {
  return (await fileFaults(store, record)).map(({ message }) => message);
}

interface FileFault {
  readonly key: string;
  readonly message: string;
  readonly isMissing: boolean;
}

/** The same with the key of each file. */
export async function fileFaults(store: Store, record: ItemRecord): Promise<readonly FileFault[]> {
  const faults: FileFault[] = [];
  for (const [name, expected] of recordedFiles(record)) {
    const key = itemKey(record.kind, record.id, name);
    const found = await store.digest(key);
    const message = differenceFrom(expected, found);
    if (message === null) continue;
    faults.push({ key, message: `${key} ${message}.`, isMissing: found === null });
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

/** All files with a digest in the record: the input, the user's replacement for it, and the fetched files. */
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

interface AuditedItem {
  /** With the record after the verdict. */
  readonly item: CampaignItem;
  /** What is wrong with its files, one sentence each. */
  readonly faults: readonly string[];
}

interface AuditOptions {
  /** Corrects the records that contradict the findings; otherwise the tree is only read. */
  readonly correct: boolean;
}

/** Checks all items, in manifest order. */
export async function* auditedItems(
  store: Store,
  campaign: PreparedCampaign,
  { correct }: AuditOptions,
): AsyncGenerator<AuditedItem> {
  for await (const page of itemPages(store, campaign)) {
    yield* await auditPage(store, page, { correct });
  }
}

async function auditPage(
  store: Store,
  page: readonly CampaignItem[],
  how: AuditOptions,
): Promise<readonly AuditedItem[]> {
  const audited = new Map<CampaignItem, AuditedItem>();
  await inParallel(page, store.atOnce, async (item) => {
    audited.set(item, await auditItem(store, item, how));
  });
  return page.flatMap((item) => audited.get(item) ?? []);
}

async function auditItem(
  store: Store,
  item: CampaignItem,
  { correct }: AuditOptions,
): Promise<AuditedItem> {
  const { record, damage } = item;
  if (record === null) return { item, faults: damage === null ? [] : [damage.message] };
  const faults = await faultsOf(store, record);
  const corrected = verdict(record, faults);
  if (correct && corrected !== record) await writeItem(store, corrected);
  return { item: { ...item, record: corrected }, faults };
}
