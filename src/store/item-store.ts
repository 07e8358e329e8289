/** Reading and writing item.json in an item's folder. */
import type { Kind } from '../domain/item.ts';
import { itemFromDisk, itemToDisk } from './item-format.ts';
import type { ItemRecord } from './item-record.ts';
import { ITEM_RECORD, itemKey } from './layout.ts';
import type { Store, WriteOptions } from './store.ts';

/**
 * Null when there is none. An empty one counts as none: that is what a power cut leaves of a record
 * that was never brought to the disk, and only records of items that had not begun are in that case.
 * @throws StoreError `STORE_RECORD_UNREADABLE`
 */
export async function readItem(store: Store, kind: Kind, id: string): Promise<ItemRecord | null> {
  const key = itemKey(kind, id, ITEM_RECORD);
  const text = await store.readText(key);
  if (text === null || /^\0*$/.test(text)) return null;
  return itemFromDisk(text, key);
}

export async function writeItem(
  store: Store,
  record: ItemRecord,
  options: WriteOptions = {},
): Promise<void> {
  await store.write(itemKey(record.kind, record.id, ITEM_RECORD), itemToDisk(record), options);
}
