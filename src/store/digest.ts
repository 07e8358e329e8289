/** Length and SHA-256, to check that a file is what was received; and its text. */
import { createHash } from 'node:crypto';

/** What identifies the content of a file. */
export interface FileDigest {
  /** Length in bytes. */
  readonly bytes: number;
  /** SHA-256 in lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** The part that is recorded of a written file. */
export function pickDigest({ bytes, sha256 }: FileDigest): FileDigest {
  return { bytes, sha256 };
}

/** As UTF-8, without a copy of the bytes. */
export function decodeText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

export function computeDigest(data: string | Uint8Array): FileDigest {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
  return { bytes: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
}
