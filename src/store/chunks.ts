/** The data of a write as a series of chunks that can be aborted at any moment. */
import type { StoreData } from './store.ts';

/** @throws the signal's reason once it is aborted, even while waiting for the sender */
export async function* chunksOf(
  data: StoreData,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  if (typeof data === 'string') yield Buffer.from(data, 'utf8');
  else if (data instanceof Uint8Array) yield data;
  else if (signal === undefined) yield* data;
  else yield* breakable(data, signal);
}

async function* breakable(
  data: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const source = data[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await unlessAborted(() => source.next(), signal);
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited: a generator that hangs in `next` would hang in `return` too. Its outcome no longer matters; the
    // caller already gets the abort reason.
    if (!ended) source.return?.().catch(() => undefined);
  }
}

/**
 * The answer, or the signal's reason if that comes first. Not `Promise.race` with one promise for the whole write: that
 * promise would keep every chunk in memory until it is settled.
 */
function unlessAborted<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = (): void => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  else {
    signal.addEventListener('abort', onAbort, { once: true });
    void ask()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  }
  return promise;
}
