/** Reads an object, whole or in pieces; received bytes are compared with the digest stored with it. */
import { createHash } from 'node:crypto';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Readable } from 'node:stream';
import { digestOf } from '../digest.ts';
import { keptSha256 } from './digests.ts';
import { damagedObject, isBroken } from './errors.ts';

export interface Origin {
  readonly client: S3Client;
  readonly bucket: string;
  readonly name: string;
  readonly key: string;
  /** The address, for messages. */
  readonly where: string;
}

/** A broken connection is reopened at most this often. */
const BROKEN_AT_MOST = 4;

/** @throws errors of the SDK as they are (`isAbsentObject`), `STORE_DIGEST_MISMATCH` */
export async function download(
  origin: Origin,
): Promise<{ readonly bytes: Uint8Array; readonly etag: string | undefined }> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { Body, ...facts } = await get(origin, {});
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      const kept = keptSha256(facts);
      if (kept === null || digestOf(bytes).sha256 === kept) return { bytes, etag: facts.ETag };
      throw damagedObject(origin.key, origin.where);
    } catch (error) {
      if (!isBroken(error) || tries === BROKEN_AT_MOST) throw error;
    }
  }
}

/** Continues after a broken connection, as long as the object is the same. @throws as `download` */
export async function* downloadPieces(origin: Origin): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  let kept: string | null = null;
  let etag: string | undefined;
  let length = 0;
  let at = 0;
  for (let tries = 1; ; tries += 1) {
    try {
      const range = at === 0 ? {} : { Range: `bytes=${at}-`, IfMatch: etag };
      const { Body, ...facts } = await get(origin, range);
      if (at === 0) {
        kept = keptSha256(facts);
        etag = facts.ETag;
        length = facts.ContentLength ?? 0;
      }
      for await (const chunk of Body as Readable) {
        const piece = chunk as Uint8Array;
        hash.update(piece);
        at += piece.byteLength;
        yield piece;
      }
      if (at < length) throw Object.assign(new Error('cut off'), { code: 'ECONNRESET' });
      break;
    } catch (error) {
      if (!isBroken(error) || tries === BROKEN_AT_MOST || at >= length) throw error;
    }
  }
  if (kept !== null && hash.digest('hex') !== kept) throw damagedObject(origin.key, origin.where);
}

type Rest = Pick<GetObjectCommand['input'], 'Range' | 'IfMatch'>;

function get({ client, bucket, name }: Origin, rest: Rest) {
  // Without the checksum mode, in which the SDK compares as well: the digest in the metadata is enough.
  return client.send(new GetObjectCommand({ Bucket: bucket, Key: name, ...rest }));
}
