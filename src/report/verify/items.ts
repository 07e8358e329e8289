/** Checks the records of a tree and their files, item by item. */
import { inParallel } from '../../store/in-parallel.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { ITEM_RECORD, isSendingNote, itemFolder } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { fileFaults, recordedFiles } from '../audit.ts';
import type { CampaignItem } from '../campaign-items.ts';
import { disagreement } from '../compare-files.ts';
import { REMEDIES, type Fault, type FoundFault } from './fault.ts';

interface CheckedItem {
  readonly item: CampaignItem;
  readonly faults: readonly FoundFault[];
  /** Files that were read. */
  readonly files: number;
}

/** In page order. Reads every byte of their files. */
export async function checkItems(
  store: Store,
  page: readonly CampaignItem[],
): Promise<readonly CheckedItem[]> {
  const checked = new Map<CampaignItem, CheckedItem>();
  await inParallel(page, store.atOnce, async (item) => {
    checked.set(item, await checkItem(store, item));
  });
  return page.flatMap((item) => checked.get(item) ?? []);
}

async function checkItem(store: Store, item: CampaignItem): Promise<CheckedItem> {
  const { record, damage } = item;
  const folder = itemFolder(item.kind, item.id);
  const path = `${folder}/${ITEM_RECORD}`;
  if (record === null) {
    const message = damage?.message ?? `${path} is missing.`;
    return {
      item,
      files: 0,
      faults: [{ check: 'records', path, message, remedy: REMEDIES.record }],
    };
  }
  try {
    const faults = (await fileFaults(store, record)).map(
      ({ key, message, isMissing }): FoundFault => ({
        check: 'files',
        path: key,
        message,
        remedy: REMEDIES.file,
        isMissing,
      }),
    );
    faults.push(...recordFaults(record, folder), ...(await strays(store, record, folder)));
    // Files that differ from what was received would contradict each other anyway.
    if (faults.length === 0) faults.push(...(await contradictions(store, record, folder)));
    return { item, faults, files: recordedFiles(record).length };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const { message, remedy } = error;
    return { item, files: 0, faults: [{ check: 'files', path: folder, message, remedy }] };
  }
}

function recordFaults(record: ItemRecord, folder: string): readonly Fault[] {
  const path = `${folder}/${ITEM_RECORD}`;
  const fault = (words: string, remedy: string): Fault => ({
    check: 'records',
    path,
    message: `${folder} ${words}`,
    remedy,
  });
  const { state, error, remoteId, files } = record;
  if (state !== 'succeeded') {
    return error === null ? [fault(`is ${state} without a coded reason.`, REMEDIES.record)] : [];
  }
  return [
    ...(error === null ? [] : [fault('succeeded with an error.', REMEDIES.record)]),
    ...(remoteId === null ? [fault('succeeded without a job.', REMEDIES.record)] : []),
    ...(Object.keys(files).length > 0 ? [] : [fault('succeeded without files.', REMEDIES.record)]),
  ];
}

/** Files in the item's folder that are not in its record. */
async function strays(store: Store, record: ItemRecord, folder: string): Promise<readonly Fault[]> {
  const known = new Set([ITEM_RECORD, ...recordedFiles(record).map(([name]) => name)]);
  const faults: Fault[] = [];
  for await (const path of store.list(`${folder}/`)) {
    if (known.has(path.slice(folder.length + 1)) || isSendingNote(path)) continue;
    const message = `${path} belongs to no item's record.`;
    faults.push({ check: 'files', path, message, remedy: REMEDIES.stray });
  }
  return faults;
}

/** For files that were changed together with their digests. */
async function contradictions(
  store: Store,
  record: ItemRecord,
  folder: string,
): Promise<readonly Fault[]> {
  const { kind, id, remoteId, state } = record;
  if (remoteId === null || state !== 'succeeded') return [];
  const files = Object.entries(record.files).map(([name, { bytes }]) => ({ name, bytes }));
  const problem = await disagreement(store, { kind, id, remoteId, files });
  if (problem === null) return [];
  const message = `${folder}: ${problem.message}`;
  return [{ check: 'files', path: folder, message, remedy: REMEDIES.file }];
}
