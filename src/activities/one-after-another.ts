import type { ItemAddress } from '../workflows/activity-types.ts';

/** The last work of this process on the record of an item. */
const last = new Map<string, Promise<void>>();

/**
 * The outcome of `work` on an item's record, which starts when earlier work on it has ended: two attempts of an
 * activity may run at the same time, because one that timed out does not stop immediately.
 */
export async function oneAfterAnother<T>(
  { store, id }: Pick<ItemAddress, 'store' | 'id'>,
  work: () => Promise<T>,
): Promise<T> {
  const key = `${store} ${id}`;
  const own = Promise.withResolvers<undefined>();
  const former = last.get(key);
  last.set(key, own.promise);
  try {
    await former;
    return await work();
  } finally {
    if (last.get(key) === own.promise) last.delete(key);
    own.resolve(undefined);
  }
}
