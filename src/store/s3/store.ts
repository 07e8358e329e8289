/**
 * The output tree as objects of a bucket, below a prefix. An object appears when its upload is complete, so that
 * readers see all of it or nothing, also after a crash; `If-None-Match: *` lets one of several writers create a key.
 */
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ObjectAddress, ObjectStoreAccess } from '../../domain/object-store.ts';
import { digestOf, type FileDigest } from '../digest.ts';
import { badKey, keySegments } from '../key.ts';
import type {
  ListedFile,
  ReadOptions,
  StagedFile,
  Store,
  StoreData,
  StoredFile,
  WriteOptions,
} from '../store.ts';
import { StoreError, missing } from '../store-error.ts';
import { clientFor, serverOf } from './client.ts';
import { honoursIfMatch, putIfAbsent, putIfMatch } from './conditional.ts';
import { isCopiedOnServer, upload } from './upload.ts';
import { keptDigest } from './digests.ts';
import { download, downloadPieces, type Origin } from './download.ts';
import { isAbsentObject, objectErrorOf } from './errors.ts';
import {
  filesBelow,
  keysBelow,
  namesBelow,
  plainEtag,
  uploadsBelow,
  type Listing,
} from './listing.ts';
import { recentObjectsOf, type RecentObjects } from './recent.ts';

/** Limit of S3 for the full name, with the prefix. */
const MAX_NAME_BYTES = 1024;

/** Makes no request: problems of the bucket are reported by the first one, or by ../probe.ts. */
export function openObjectStore(address: ObjectAddress, access: ObjectStoreAccess): ObjectStore {
  return new ObjectStore(address, access);
}

export class ObjectStore implements Store {
  readonly location: string;
  readonly atOnce = 24;
  readonly #client: S3Client;
  readonly #recent: RecentObjects;
  readonly #server: string;
  readonly #bucket: string;
  /** With a trailing slash; empty for the bucket itself. */
  readonly #prefix: string;
  readonly #where: string;

  constructor({ bucket, prefix }: ObjectAddress, access: ObjectStoreAccess) {
    this.location = prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
    this.#client = clientFor(access, bucket);
    this.#recent = recentObjectsOf(this.#client);
    this.#server = serverOf(access);
    this.#bucket = bucket;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    const { endpoint } = access;
    this.#where = endpoint === undefined ? this.location : `${this.location} (${endpoint})`;
  }

  async write(key: string, data: StoreData, options: WriteOptions = {}): Promise<StoredFile> {
    const target = { ...this.#object(key), client: this.#client, recent: this.#recent };
    return upload(target, data, options, (error) => this.#asStoreError(error, `write ${key}`));
  }

  async create(key: string, data: string): Promise<boolean> {
    const { bucket, name } = this.#object(key);
    this.#recent.forget(name);
    return this.#asked(`write ${key}`, () =>
      putIfAbsent({ client: this.#client, bucket, name }, Buffer.from(data, 'utf8')),
    );
  }

  /** The request that creates it is all there is to do. */
  async stage(key: string, data: string): Promise<StagedFile> {
    return Promise.resolve({
      create: () => this.create(key, data),
      discard: () => Promise.resolve(),
    });
  }

  /** A written object is durable. */
  async flush(): Promise<void> {
    await Promise.resolve();
  }

  async replace(
    key: string,
    data: string,
    former: string,
  ): Promise<'replaced' | 'changed' | 'unseen'> {
    if (!(await this.#honoursIfMatch())) {
      await this.write(key, data);
      return 'unseen';
    }
    const { bucket, name } = this.#object(key);
    const known = Buffer.from(former, 'utf8');
    if (this.#recent.etagOf(name, known) === null) await this.read(key, { recent: 'keep' });
    const etag = this.#recent.etagOf(name, known);
    if (etag === null) return 'changed';
    const bytes = Buffer.from(data, 'utf8');
    this.#recent.forget(name);
    const replaced = await this.#asked(`write ${key}`, () =>
      putIfMatch({ client: this.#client, bucket, name }, bytes, etag),
    );
    // The first answer may have been lost; this may be the answer to the second attempt.
    if (replaced === null) return (await this.readText(key)) === data ? 'replaced' : 'changed';
    this.#recent.note(name, bytes, replaced.ETag && plainEtag(replaced.ETag));
    return 'replaced';
  }

  /** Tested once per process: without it, content that was read earlier must not be replaced. */
  async #honoursIfMatch(): Promise<boolean> {
    const recent = this.#recent;
    recent.honoursIfMatch ??= honoursIfMatch(this.#client, this.#bucket, this.#prefix);
    try {
      return await recent.honoursIfMatch;
    } catch (error) {
      recent.honoursIfMatch = null;
      throw this.#asStoreError(error, 'test the bucket');
    }
  }

  async read(key: string, { recent }: ReadOptions = {}): Promise<Uint8Array | null> {
    const origin = this.#origin(key);
    const known = recent === 'use' ? this.#recent.find(origin.name) : null;
    if (known !== null && (await this.#honoursIfMatch())) return known;
    const got = await this.#unlessAbsent(`read ${key}`, () => download(origin));
    if (recent === undefined) return got && got.bytes;
    if (got === null) this.#recent.forget(origin.name);
    else this.#recent.note(origin.name, got.bytes, got.etag && plainEtag(got.etag));
    return got && got.bytes;
  }

  async readText(key: string, options?: ReadOptions): Promise<string | null> {
    const bytes = await this.read(key, options);
    if (bytes === null) return null;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  }

  /**
   * The digest that the store keeps with the object, against which it checked the upload; an object without one, such
   * as a large stream or an object of another program, is read.
   */
  async digest(key: string): Promise<FileDigest | null> {
    const head = await this.#head(key);
    if (head === null) return null;
    const kept = keptDigest(head);
    if (kept !== null) return kept;
    const bytes = await this.read(key);
    return bytes === null ? null : digestOf(bytes);
  }

  async *readStream(key: string): AsyncIterable<Uint8Array> {
    try {
      yield* downloadPieces(this.#origin(key));
    } catch (error) {
      if (isAbsentObject(error)) throw missing(key);
      throw this.#asStoreError(error, `read ${key}`);
    }
  }

  list(prefix: string): AsyncIterable<string> {
    return this.#listed('the objects', keysBelow(this.#listing, prefix));
  }

  etags(prefix: string): AsyncIterable<ListedFile> {
    return this.#listed('the objects', filesBelow(this.#listing, prefix));
  }

  folders(): AsyncIterable<string> {
    return this.#listed('the objects', namesBelow(this.#listing));
  }

  async exists(key: string): Promise<boolean> {
    return (await this.#head(key)) !== null;
  }

  async adopt(key: string, from: Store, fromKey: string): Promise<void> {
    if (from instanceof ObjectStore && from.#server === this.#server) {
      if (await this.#isCopied(key, from, fromKey)) return;
    }
    await this.write(key, from.readStream(fromKey));
  }

  async #isCopied(key: string, from: ObjectStore, fromKey: string): Promise<boolean> {
    const { bucket, name } = this.#object(key);
    this.#recent.forget(name);
    const source = from.#object(fromKey);
    try {
      return await isCopiedOnServer(source, { client: this.#client, bucket, name });
    } catch (error) {
      if (isAbsentObject(error)) throw missing(fromKey);
      throw this.#asStoreError(error, `write ${key}`);
    }
  }

  async remove(key: string): Promise<void> {
    const { bucket, name } = this.#object(key);
    this.#recent.forget(name);
    await this.#asked(`remove ${key}`, () =>
      this.#client.send(new DeleteObjectCommand({ Bucket: bucket, Key: name })),
    );
  }

  /** Uploads in parts that were never completed: their parts are invisible, but billed. */
  async *leftovers(): AsyncIterable<string> {
    for await (const { key, id } of this.#uploads()) yield `${key} (unfinished upload ${id})`;
  }

  async sweep(): Promise<number> {
    let swept = 0;
    for await (const { key, id } of this.#uploads()) {
      const upload = { Bucket: this.#bucket, Key: this.#prefix + key, UploadId: id };
      await this.#asked(`remove the unfinished upload of ${key}`, () =>
        this.#client.send(new AbortMultipartUploadCommand(upload)).catch(goneIsWell),
      );
      swept += 1;
    }
    return swept;
  }

  #uploads(): AsyncIterable<{ readonly key: string; readonly id: string }> {
    return this.#listed('the unfinished uploads', uploadsBelow(this.#listing));
  }

  async *#listed<T>(what: string, listing: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* listing;
    } catch (error) {
      throw this.#asStoreError(error, `list ${what}`);
    }
  }

  get #listing(): Listing {
    return { client: this.#client, bucket: this.#bucket, prefix: this.#prefix };
  }

  #object(key: string): { readonly bucket: string; readonly name: string; readonly key: string } {
    keySegments(key);
    const name = this.#prefix + key;
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
      throw badKey(key, `with its prefix it is longer than ${MAX_NAME_BYTES} bytes`);
    }
    return { bucket: this.#bucket, name, key };
  }

  #origin(key: string): Origin {
    return { ...this.#object(key), client: this.#client, where: this.#where };
  }

  /** Null if there is no such object. */
  #head(key: string): Promise<HeadObjectCommandOutput | null> {
    const { bucket, name } = this.#object(key);
    const command = new HeadObjectCommand({ Bucket: bucket, Key: name, ChecksumMode: 'ENABLED' });
    return this.#unlessAbsent(`look at ${key}`, () => this.#client.send(command));
  }

  async #unlessAbsent<T>(action: string, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch (error) {
      if (isAbsentObject(error)) return null;
      throw this.#asStoreError(error, action);
    }
  }

  async #asked<T>(action: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.#asStoreError(error, action);
    }
  }

  #asStoreError(error: unknown, action: string): StoreError {
    return error instanceof StoreError
      ? error
      : objectErrorOf(error, { action, where: this.#where });
  }
}

/** Another process may have ended the upload meanwhile. */
function goneIsWell(error: unknown): void {
  if (!(error instanceof Error && error.name === 'NoSuchUpload')) throw error;
}
