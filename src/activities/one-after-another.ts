/** Work of this process that must not overlap, by key. */
const last = new Map<string, Promise<void>>();

/** The outcome of `work`, which starts when all earlier work of the same key has ended. */
export async function oneAfterAnother<T>(key: string, work: () => Promise<T>): Promise<T> {
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
