/** Writes a file of the store under its temporary name. */
import { createHash } from 'node:crypto';
import { open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { chunksOf } from './chunks.ts';
import type { StoreData, StoredFile, WriteOptions } from './store.ts';
import { wrongLength, noRoom } from './store-error.ts';
import { system } from './system-calls.ts';

/** Fills the temporary file and checks its length; computes the digest at the same time. */
export async function fillFile(
  temporary: string,
  key: string,
  data: StoreData,
  options: WriteOptions,
  durable: boolean,
): Promise<StoredFile> {
  const action = `write ${key}`;
  const expected = options.expectedBytes;
  const space = options.keepFree ? new FreeSpace(dirname(temporary), key, options.keepFree) : null;
  await space?.begin(data instanceof Uint8Array ? data.byteLength : (expected ?? null));
  const hash = createHash('sha256');
  let bytes = 0;
  // `wx`: the name must be new, and a link planted there is not followed.
  const file = await system(action, () => open(temporary, 'wx'));
  try {
    for await (const chunk of chunksOf(data, options.signal)) {
      bytes += chunk.byteLength;
      if (expected !== undefined && bytes > expected) throw wrongLength(key, expected, bytes);
      hash.update(chunk);
      await space?.goOn(bytes);
      await system(action, () => file.writeFile(chunk));
    }
    if (expected !== undefined && bytes !== expected) throw wrongLength(key, expected, bytes);
    if (durable) await system(action, () => file.sync());
  } finally {
    // A full disk or a quota may only be reported now (NFS).
    await system(action, () => file.close());
  }
  return { key, bytes, sha256: hash.digest('hex') };
}

/** Bytes written between two checks. */
const LOOK_EVERY = 8_000_000;
/** On a small disk this part is kept free, instead of all that the caller requests. */
const LARGEST_PART = 0.02;

class FreeSpace {
  readonly #folder: string;
  readonly #key: string;
  readonly #keepFree: number;
  #looked = 0;

  /** @param keepFree bytes that are to stay free */
  constructor(folder: string, key: string, keepFree: number) {
    this.#folder = folder;
    this.#key = key;
    this.#keepFree = keepFree;
  }

  /**
   * Before the first byte.
   * @param needed length of the file in bytes; null when unknown
   * @throws StoreError `STORE_FULL`
   */
  async begin(needed: number | null): Promise<void> {
    const { bavail, blocks, bsize } = await system(`look at the disk of ${this.#key}`, () =>
      statfs(this.#folder),
    );
    const free = bavail * bsize;
    const kept = Math.min(this.#keepFree, blocks * bsize * LARGEST_PART);
    if (free - (needed ?? 0) < kept) throw noRoom(this.#key, free, needed, kept);
  }

  /**
   * While the file is written.
   * @param bytes written so far
   * @throws StoreError `STORE_FULL`
   */
  async goOn(bytes: number): Promise<void> {
    if (bytes - this.#looked < LOOK_EVERY) return;
    this.#looked = bytes;
    await this.begin(null);
  }
}
