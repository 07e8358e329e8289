/** The SHA-256 stored with an object: as S3's own checksum, and in its metadata for servers without checksums. */
import type { FileDigest } from '../digest.ts';

/** Object metadata in the answers to GET and HEAD. */
interface ObjectFacts {
  readonly ContentLength?: number | undefined;
  readonly ChecksumSHA256?: string | undefined;
  readonly ChecksumType?: string | undefined;
  readonly Metadata?: Record<string, string> | undefined;
}

const KEPT = 'sha256';
const HEX = /^[0-9a-f]{64}$/;

/** Parameters of a PUT: the server refuses a body with another digest. */
export function digestParameters(sha256: string): {
  readonly ChecksumSHA256: string;
  readonly Metadata: Record<string, string>;
} {
  const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64');
  return { ChecksumSHA256, Metadata: { [KEPT]: sha256 } };
}

/** Hexadecimal; null if none is stored: for a large stream it was unknown when the upload began. */
export function keptSha256({ ChecksumSHA256, ChecksumType, Metadata }: ObjectFacts): string | null {
  // That of a multipart upload is a digest of digests, and ends with the number of parts.
  if (ChecksumSHA256 !== undefined && ChecksumType !== 'COMPOSITE') {
    const hex = Buffer.from(ChecksumSHA256, 'base64').toString('hex');
    if (HEX.test(hex)) return hex;
  }
  const noted = Metadata?.[KEPT];
  return noted !== undefined && HEX.test(noted) ? noted : null;
}

export function keptDigest(facts: ObjectFacts): FileDigest | null {
  const sha256 = keptSha256(facts);
  if (sha256 === null || facts.ContentLength === undefined) return null;
  return { bytes: facts.ContentLength, sha256 };
}
