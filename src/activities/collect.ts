/**
 * Reads a result into memory, where it is checked. Of large ones, this process reads only one at a time: a service that
 * sends hundreds of megabytes to each of many downloads must not fill the memory.
 *
 * Rejected: a temporary file. JSON is parsed as a whole, so it would be read into memory anyway.
 */

/** Bytes that each download may hold without waiting. */
const FREELY = 4_000_000;

interface Collected {
  readonly bytes: Buffer;
  /** Call it when the bytes are no longer needed. */
  readonly release: () => void;
}

/**
 * @throws what the body throws, or the signal's reason
 */
export async function collected(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Collected> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let release: (() => void) | null = null;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > FREELY) release ??= await turn(signal);
    }
    return { bytes: Buffer.concat(chunks), release: release ?? (() => undefined) };
  } catch (error) {
    release?.();
    throw error;
  }
}

/** Resolves when the previous large download has ended. */
let before: Promise<void> = Promise.resolve();

/** Waits until no other large download is in progress; returns a function that ends this one. */
async function turn(signal: AbortSignal): Promise<() => void> {
  const own = Promise.withResolvers<undefined>();
  const former = before;
  before = Promise.all([former, own.promise]).then(() => undefined);
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason as Error);
  aborted.promise.catch(() => undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    await Promise.race([former, aborted.promise]);
    return () => own.resolve(undefined);
  } catch (error) {
    own.resolve(undefined);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
