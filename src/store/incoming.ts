/** The data of a write on its way: counted, hashed, compared with its announced length, and aborted at any moment. */
import { createHash } from 'node:crypto';
import type { StoreData, StoredFile, WriteOptions } from './store.ts';
import { createWrongLengthError } from './store-error.ts';

export class Incoming {
  bytes = 0;
  /** Set if the sender, its length or the signal failed, and not the store. */
  failure: { readonly error: unknown } | null = null;
  readonly #hash = createHash('sha256');
  /** For messages. */
  readonly key: string;
  #sha256: string | null = null;

  constructor(key: string) {
    this.key = key;
  }

  /** @throws what the sender throws, `STORE_TRUNCATED`, and the signal's reason, even while waiting for the sender */
  async *chunks(
    data: StoreData,
    { expectedBytes: expected, signal }: WriteOptions,
  ): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of createAbortable(data, signal)) {
        this.bytes += chunk.byteLength;
        if (expected !== undefined && this.bytes > expected) throw this.#wrong(expected);
        this.#hash.update(chunk);
        yield chunk;
      }
      if (expected !== undefined && this.bytes !== expected) throw this.#wrong(expected);
      signal?.throwIfAborted();
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }

  /** Of all that has arrived. */
  get sha256(): string {
    return (this.#sha256 ??= this.#hash.digest('hex'));
  }

  get stored(): StoredFile {
    return { key: this.key, bytes: this.bytes, sha256: this.sha256 };
  }

  #wrong(expected: number): Error {
    return createWrongLengthError(this.key, expected, this.bytes);
  }
}

async function* createAbortable(
  data: StoreData,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  if (typeof data === 'string' || data instanceof Uint8Array) {
    yield typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
    return;
  }
  const source = data[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await rejectOnAbort(source.next(), signal);
      ended = next.done === true;
      if (next.done === true) return;
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
async function rejectOnAbort<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = (): void => reject(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  answer.then(resolve, reject);
  try {
    signal?.throwIfAborted();
    return await promise;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
