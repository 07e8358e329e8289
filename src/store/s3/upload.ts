/** Writes an object: in one request if it is small, in parts if it is large. It is invisible until it is complete. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  CopyObjectCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { chunksOf } from '../chunks.ts';
import type { StoreData, StoredFile, WriteOptions } from '../store.ts';
import { wrongLength } from '../store-error.ts';
import { ABORTED_BY, type Abortable } from './client.ts';
import { contentType } from './content-type.ts';
import { digestParameters } from './digests.ts';
import { plainEtag } from './listing.ts';
import type { RecentObjects } from './recent.ts';
import { httpStatusOf } from './errors.ts';

/** Bytes. Smaller data is sent in one request; a file of more than 10,000 parts, 80 GB, is refused by S3. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts in memory at the same time. */
const PARTS_AT_ONCE = 3;

interface Target {
  readonly client: S3Client;
  readonly bucket: string;
  /** The full name of the object, with the prefix. */
  readonly name: string;
  /** The key in the tree, for messages. */
  readonly key: string;
  readonly recent: RecentObjects;
}

/** @throws what the sender or the signal threw, `STORE_TRUNCATED`, and the result of `told` for the SDK's errors */
export async function upload(
  target: Target,
  data: StoreData,
  options: WriteOptions,
  asStoreError: (error: unknown) => unknown,
): Promise<StoredFile> {
  const measured = new Measured(target.key, data, options);
  // Until the answer arrives: if it is lost, it is unknown which object is there.
  target.recent.forget(target.name);
  try {
    const beginning = await measured.take(PART_BYTES);
    const etag = beginning.ended
      ? await put(target, beginning.bytes, measured.sha256(), options.signal)
      : await putInParts(target, measured.rest(beginning.bytes));
    const stored = { key: target.key, bytes: measured.bytes, sha256: measured.sha256() };
    return etag === undefined ? stored : { ...stored, etag: plainEtag(etag) };
  } catch (error) {
    if (measured.failure !== null) throw measured.failure.error;
    options.signal?.throwIfAborted();
    throw asStoreError(error);
  } finally {
    measured.close();
  }
}

async function put(
  target: Target,
  bytes: Uint8Array,
  sha256: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const input: PutObjectCommandInput & Abortable = {
    ...parameters(target),
    ...digestParameters(sha256),
    Body: bytes,
    ...(signal && { [ABORTED_BY]: signal }),
  };
  const { ETag } = await target.client.send(new PutObjectCommand(input));
  target.recent.note(target.name, bytes, ETag && plainEtag(ETag));
  return ETag;
}

/** A failure of the data or of a part aborts the upload, so that the store keeps no parts of it. */
async function putInParts(
  target: Target,
  rest: AsyncIterable<Uint8Array>,
): Promise<string | undefined> {
  const multipart = new Upload({
    client: target.client,
    partSize: PART_BYTES,
    queueSize: PARTS_AT_ONCE,
    params: {
      ...parameters(target),
      ChecksumAlgorithm: 'SHA256',
      Body: Readable.from(rest, { objectMode: false }),
    },
  });
  const { ETag } = await multipart.done();
  return ETag;
}

function parameters({ bucket, name }: Target): PutObjectCommandInput {
  return { Bucket: bucket, Key: name, ContentType: contentType(name) };
}

/** Data in transit: its digest and length, and any failure of its sender or its length. */
class Measured {
  bytes = 0;
  /** Set if the fault is in the data and not in the store. */
  failure: { readonly error: unknown } | null = null;
  readonly #hash = createHash('sha256');
  readonly #chunks: AsyncGenerator<Uint8Array>;
  #sha256: string | null = null;

  constructor(key: string, data: StoreData, options: WriteOptions) {
    this.#chunks = this.#measure(key, data, options);
  }

  /** Up to slightly more than `bytes`; all of it if it is shorter. */
  async take(bytes: number): Promise<{ readonly bytes: Uint8Array; readonly ended: boolean }> {
    const taken: Uint8Array[] = [];
    while (this.bytes <= bytes) {
      const next = await this.#chunks.next();
      if (next.done === true) return { bytes: joined(taken), ended: true };
      taken.push(next.value);
    }
    return { bytes: joined(taken), ended: false };
  }

  async *rest(beginning: Uint8Array): AsyncGenerator<Uint8Array> {
    yield beginning;
    yield* this.#chunks;
  }

  sha256(): string {
    return (this.#sha256 ??= this.#hash.digest('hex'));
  }

  /** Closes a sender that was not read to its end; not awaited, because it may hang. */
  close(): void {
    this.#chunks.return(undefined).catch(() => undefined);
  }

  async *#measure(key: string, data: StoreData, options: WriteOptions): AsyncGenerator<Uint8Array> {
    const expected = options.expectedBytes;
    try {
      for await (const chunk of chunksOf(data, options.signal)) {
        this.bytes += chunk.byteLength;
        if (expected !== undefined && this.bytes > expected) {
          throw wrongLength(key, expected, this.bytes);
        }
        this.#hash.update(chunk);
        yield chunk;
      }
      if (expected !== undefined && this.bytes !== expected) {
        throw wrongLength(key, expected, this.bytes);
      }
      options.signal?.throwIfAborted();
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}

/** The piece itself if there is only one. */
function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

/** Statuses of an object above 5 GB, and of a server without copies. */
const CANNOT_COPY: readonly (number | null)[] = [400, 501];

/** Without a download. False if the server cannot copy it. @throws other errors of the SDK */
export async function isCopiedOnServer(
  source: Pick<Target, 'bucket' | 'name'>,
  { client, bucket, name }: Pick<Target, 'client' | 'bucket' | 'name'>,
): Promise<boolean> {
  const CopySource = `${source.bucket}/${source.name.split('/').map(encodeURIComponent).join('/')}`;
  try {
    await client.send(new CopyObjectCommand({ Bucket: bucket, Key: name, CopySource }));
    return true;
  } catch (error) {
    if (CANNOT_COPY.includes(httpStatusOf(error))) return false;
    throw error;
  }
}
