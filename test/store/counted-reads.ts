/** Counts the item records that are read of a store. */
import { ITEM_RECORD } from '../../src/store/layout.ts';
import type { Store } from '../../src/store/store.ts';

export function countedReads(store: Store): { readonly store: Store; readonly records: string[] } {
  const records: string[] = [];
  const counted = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const [key] = args;
        const reads = name === 'readText' && typeof key === 'string';
        if (reads && key.endsWith(`/${ITEM_RECORD}`)) records.push(key);
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
  return { store: counted, records };
}
