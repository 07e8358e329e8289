/** Length and SHA-256 of what lies in the store, read piece by piece. */
import { createHash } from 'node:crypto';
import type { Store } from './store.ts';
import { StoreError } from './store-error.ts';

/** What identifies the content of a file. */
export interface FileDigest {
  /** Length in bytes. */
  readonly bytes: number;
  /** SHA-256 in lower-case hexadecimal digits. */
  readonly sha256: string;
}

export function digestOf(data: string | Uint8Array): FileDigest {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
  return { bytes: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Null when there is no such file. */
export async function digestStored(store: Store, key: string): Promise<FileDigest | null> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of store.readStream(key)) {
      hash.update(chunk);
      bytes += chunk.byteLength;
    }
  } catch (error) {
    if (error instanceof StoreError && error.code === 'STORE_MISSING') return null;
    throw error;
  }
  return { bytes, sha256: hash.digest('hex') };
}
