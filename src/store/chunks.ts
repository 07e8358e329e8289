/** The data of a write as a series of pieces that can be broken off at any moment. */
import type { StoreData } from './store.ts';

/** @throws the signal's reason once it is aborted, even while the sender keeps us waiting */
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
  const { promise: broken, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  // The race below may have been lost already, or never be run again: not an unhandled rejection.
  broken.catch(() => undefined);
  let ended = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await Promise.race([source.next(), broken]);
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a generator that hangs in `next` would hang in `return` too. Its own fate does
    // not matter any more; the reason for breaking off is already on its way to the caller.
    if (!ended) source.return?.().catch(() => undefined);
  }
}
