/** Length and SHA-256, to check that a file is what was received. */
import { createHash } from 'node:crypto';

/** What identifies the content of a file. */
export interface FileDigest {
  /** Length in bytes. */
  readonly bytes: number;
  /** SHA-256 in lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** Of a file as it was written. */
export interface StoredDigest extends FileDigest {
  /** ETag of the object in a bucket, as the server answered the write that it checked; absent in a folder. */
  readonly etag?: string | undefined;
}

/** The part that is recorded of a written file. */
export function storedDigest({ bytes, sha256, etag }: StoredDigest): StoredDigest {
  return etag === undefined ? { bytes, sha256 } : { bytes, sha256, etag };
}

export function digestOf(data: string | Uint8Array): FileDigest {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
  return { bytes: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
}
