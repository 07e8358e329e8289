/** Counts the item records that are read of a store, and the files whose digest is asked for. */
import { ITEM_RECORD } from '../../src/store/layout.ts';
import type { Store } from '../../src/store/store.ts';

interface CountedReads {
  readonly store: Store;
  readonly records: string[];
  readonly digests: string[];
}

export function countedReads(store: Store): CountedReads {
  const records: string[] = [];
  const digests: string[] = [];
  const counted = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const [key] = args;
        if (typeof key !== 'string') return Reflect.apply(value, target, args) as unknown;
        const reads = name === 'readText' || name === 'read';
        if (reads && key.endsWith(`/${ITEM_RECORD}`)) records.push(key);
        if (name === 'digest') digests.push(key);
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
  return { store: counted, records, digests };
}
