/**
 * A publication passes over its items several times: to check their files, for the tables, for the crate and for the
 * checksums. Their records are read from the store by the first pass only: in a bucket, each further read would be a
 * request.
 */
import { ITEM_RECORD } from '../store/layout.ts';
import type { Store } from '../store/store.ts';

/** In bytes: enough for 20,000 items. Records beyond are read by each pass. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** The same store, which keeps the records of items that were read from it. */
export function readingRecordsOnce(store: Store, keptBytes = KEPT_BYTES): Store {
  const records = new Map<string, Uint8Array>();
  let left = keptBytes;
  const read = async (key: string): Promise<Uint8Array | null> => {
    const known = records.get(key);
    if (known) return known;
    const bytes = await store.read(key);
    if (bytes !== null && key.endsWith(`/${ITEM_RECORD}`) && bytes.byteLength <= left) {
      records.set(key, bytes);
      left -= bytes.byteLength;
    }
    return bytes;
  };
  const own: Partial<Store> = {
    read,
    async readText(key) {
      const bytes = await read(key);
      return bytes === null ? null : Buffer.from(bytes).toString('utf8');
    },
    // The audit corrects records.
    write(key, data, options) {
      records.delete(key);
      return store.write(key, data, options);
    },
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(name in own ? own : target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
