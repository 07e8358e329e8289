/** Writes a file of the store under its temporary name. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { chunksOf } from './chunks.ts';
import { FreeSpace } from './free-space.ts';
import type { StoreData, StoredFile, WriteOptions } from './store.ts';
import { wrongLength } from './store-error.ts';
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
