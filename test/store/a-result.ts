/** Ended items with files, for tests of what is done with results. */
import type { Item } from '../../src/domain/campaign.ts';
import type { FileDigest, Store } from '../../src/store/store.ts';
import { createWaitingRecord, writeItem } from '../../src/store/item-store.ts';
import type { ItemRecord } from '../../src/store/item-record.ts';
import { buildItemKey } from '../../src/store/layout.ts';

export const FILES = { 'result.json': '{"results": []}', 'result.csv': 'a,b\n1,2\n' };

/** As its job left it in the tree. */
export async function succeeded(
  store: Store,
  item: Item,
  changes: Partial<ItemRecord> = {},
  contents: Readonly<Record<string, string>> = FILES,
): Promise<ItemRecord> {
  await store.write(buildItemKey(item.kind, item.id, item.input.name), item.input.text);
  const files: Record<string, FileDigest> = {};
  for (const [name, text] of Object.entries(contents)) {
    const { bytes, sha256 } = await store.write(buildItemKey(item.kind, item.id, name), text);
    files[name] = { bytes, sha256 };
  }
  const record: ItemRecord = {
    ...createWaitingRecord(item),
    state: 'succeeded',
    files,
    address: 'host',
    remoteId: 'job-1',
    jobName: 'name-1',
    submittedAt: '2026-11-21T00:00:00.000Z',
    finishedAt: '2026-11-21T00:01:00.000Z',
    attempts: [{ at: '2026-11-21T00:00:00.000Z', outcome: 'accepted', remoteId: 'job-1' }],
    ...changes,
  };
  await writeItem(store, record);
  return record;
}
