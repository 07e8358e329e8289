/** Changing the record of an item while another process does. */
import { expect, test } from 'vitest';
import { itemToDisk } from '../../src/store/item-format.ts';
import { waitingRecord, type ItemRecord } from '../../src/store/item-record.ts';
import { changeItem, readItem, writeItem, type WriteChanged } from '../../src/store/item-store.ts';
import { itemKey } from '../../src/store/layout.ts';
import { aSequence } from './an-item.ts';
import { onFolder, temporaryStore, writeElsewhere } from './temporary-store.ts';

const RECORD = waitingRecord(aSequence('p1'));
const KEY = itemKey('sequence', 'p1', 'item.json');

test('a record is changed, and a missing record is not created', async () => {
  const store = await temporaryStore();
  const none = await changeItem(store, RECORD, (record) => Promise.resolve(record));
  expect(none).toBeNull();
  await writeItem(store, RECORD);
  const address = await changeItem(store, RECORD, async (record, write) => {
    await write({ ...(record ?? RECORD), address: 'https://a' });
    return 'https://a';
  });
  expect(await readItem(store, 'sequence', 'p1')).toMatchObject({ address });
});

test.skipIf(onFolder()).each([
  ['keep', ['theirs']],
  ['use', [null, 'theirs']],
] as const)('a change of another process is not lost (%s)', async (first, expected) => {
  const store = await temporaryStore();
  await writeItem(store, RECORD);
  await writeElsewhere(store, KEY, itemToDisk({ ...RECORD, remoteId: 'theirs' }));
  const seen: (string | null | undefined)[] = [];
  const change = async (record: ItemRecord | null, write: WriteChanged): Promise<void> => {
    seen.push(record?.remoteId);
    await write({ ...(record ?? RECORD), address: 'https://ours' });
  };
  await changeItem(store, RECORD, change, first);
  expect(seen).toEqual(expected);
  expect(await readItem(store, 'sequence', 'p1')).toMatchObject({
    remoteId: 'theirs',
    address: 'https://ours',
  });
});
