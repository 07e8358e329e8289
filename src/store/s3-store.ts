/**
 * The output tree as objects of a bucket, below a prefix. An object appears when its upload is complete, so that
 * readers see all of it or nothing, also after a crash; `If-None-Match: *` lets one of several writers create a key.
 */
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { ObjectAddress, ObjectStoreAccess } from '../domain/addresses.ts';
import { computeDigest, decodeText, type FileDigest } from './digest.ts';
import {
  Incoming,
  type Store,
  type StoreData,
  type StoredFile,
  type WriteOptions,
} from './store.ts';
import { createBadKeyError, splitKey } from './layout.ts';
import { isAbsentObject, toObjectError } from './s3-errors.ts';
import {
  findClient,
  download,
  requestHead,
  readDigest,
  listPages,
  type ObjectName,
  putIfAbsent,
  putIfMatch,
  upload,
} from './s3-requests.ts';
import type { StoreError } from './store-error.ts';
import { createMissingError } from './store-error.ts';

/** Limit of S3 for the full name, with the prefix. */
const MAX_NAME_BYTES = 1024;

/** Opening makes no request: problems of the bucket are reported by the first one, or by `probe`. */
export class S3Store implements Store {
  readonly location: string;
  readonly atOnce = 24;
  readonly #client: S3Client;
  readonly #bucket: string;
  /** With a trailing slash; empty for the bucket itself. */
  readonly #prefix: string;
  readonly #where: string;

  constructor({ bucket, prefix }: ObjectAddress, access: ObjectStoreAccess) {
    this.location = prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
    this.#client = findClient(access);
    this.#bucket = bucket;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    const { endpoint } = access;
    this.#where = endpoint === undefined ? this.location : `${this.location} (${endpoint})`;
  }

  async write(key: string, data: StoreData, options: WriteOptions = {}): Promise<StoredFile> {
    const object = this.#object(key);
    const incoming = new Incoming(key);
    const chunks = incoming.chunks(data, options);
    try {
      await upload(object, incoming, chunks, options.signal);
      return incoming.stored;
    } catch (error) {
      if (incoming.failure !== null) throw incoming.failure.error;
      options.signal?.throwIfAborted();
      throw this.#asStoreError(error, `write ${key}`);
    } finally {
      // Closes a sender that was not read to its end; not awaited, because it may hang.
      chunks.return(undefined).catch(() => undefined);
    }
  }

  create(key: string, data: string): Promise<boolean> {
    const object = this.#object(key);
    return this.#asked(`write ${key}`, () => putIfAbsent(object, Buffer.from(data, 'utf8')));
  }

  async replace(key: string, data: string, former: string): Promise<boolean> {
    const object = this.#object(key);
    const head = await this.#asked(`look at ${key}`, () => requestHead(object));
    if (head?.ETag === undefined) return false;
    const { ETag: etag } = head;
    const digest = readDigest(head) ?? (await this.#digestOfContent(key));
    if (digest?.sha256 !== computeDigest(former).sha256) return false;
    const replaced = await this.#asked(`write ${key}`, () =>
      putIfMatch(object, Buffer.from(data, 'utf8'), etag),
    );
    // The first answer may have been lost; this may be the answer to the second attempt.
    return replaced || (await this.readText(key)) === data;
  }

  /** A written object is durable. */
  async flush(): Promise<void> {
    await Promise.resolve();
  }

  async read(key: string): Promise<Uint8Array | null> {
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of download(this.#object(key))) pieces.push(piece);
    } catch (error) {
      if (isAbsentObject(error)) return null;
      throw this.#asStoreError(error, `read ${key}`);
    }
    return Buffer.concat(pieces);
  }

  async readText(key: string): Promise<string | null> {
    const bytes = await this.read(key);
    return bytes && decodeText(bytes);
  }

  /**
   * The digest that the store keeps with the object, against which it checked the upload; an object without one, such
   * as a large stream or an object of another program, is read.
   */
  async digest(key: string): Promise<FileDigest | null> {
    const object = this.#object(key);
    const head = await this.#asked(`look at ${key}`, () => requestHead(object));
    return head && (readDigest(head) ?? this.#digestOfContent(key));
  }

  async #digestOfContent(key: string): Promise<FileDigest | null> {
    const bytes = await this.read(key);
    return bytes && computeDigest(bytes);
  }

  async *readStream(key: string): AsyncIterable<Uint8Array> {
    try {
      yield* download(this.#object(key));
    } catch (error) {
      if (isAbsentObject(error)) throw createMissingError(key);
      throw this.#asStoreError(error, `read ${key}`);
    }
  }

  async *list(prefix: string): AsyncIterable<string> {
    for await (const { Contents = [] } of this.#pages({ Prefix: this.#prefix + prefix })) {
      for (const { Key } of Contents) {
        // Some programs mark an empty folder by an object with a trailing slash: it is not a file of a tree.
        if (Key !== undefined && !Key.endsWith('/')) yield Key.slice(this.#prefix.length);
      }
    }
  }

  async *folders(): AsyncIterable<string> {
    const wanted = { Prefix: this.#prefix, Delimiter: '/' };
    for await (const { CommonPrefixes = [] } of this.#pages(wanted)) {
      for (const { Prefix } of CommonPrefixes) {
        if (Prefix !== undefined) yield Prefix.slice(this.#prefix.length, -1);
      }
    }
  }

  async *#pages(wanted: Parameters<typeof listPages>[1]): ReturnType<typeof listPages> {
    try {
      yield* listPages({ client: this.#client, bucket: this.#bucket }, wanted);
    } catch (error) {
      throw this.#asStoreError(error, 'list the objects');
    }
  }

  async exists(key: string): Promise<boolean> {
    const object = this.#object(key);
    return (await this.#asked(`look at ${key}`, () => requestHead(object))) !== null;
  }

  async adopt(key: string, from: Store, fromKey: string): Promise<void> {
    await this.write(key, from.readStream(fromKey));
  }

  async remove(key: string): Promise<void> {
    const { bucket, name } = this.#object(key);
    const command = new DeleteObjectCommand({ Bucket: bucket, Key: name });
    await this.#asked(`remove ${key}`, () => this.#client.send(command));
  }

  /** Uploads in parts that were never completed: their parts are invisible, but billed. */
  async *leftovers(): AsyncIterable<string> {
    for (const { Key = '', UploadId = '' } of await this.#uploads())
      yield `${Key.slice(this.#prefix.length)} (unfinished upload ${UploadId})`;
  }

  async sweep(): Promise<number> {
    const uploads = await this.#uploads();
    for (const { Key, UploadId } of uploads) {
      const command = new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId });
      await this.#asked(`remove the unfinished upload of ${Key}`, () =>
        this.#client.send(command).catch(ignoreGone),
      );
    }
    return uploads.length;
  }

  /** The first thousand. */
  async #uploads() {
    const command = new ListMultipartUploadsCommand({
      Bucket: this.#bucket,
      Prefix: this.#prefix,
    });
    const listed = await this.#asked('list the unfinished uploads', () =>
      this.#client.send(command),
    );
    return listed.Uploads ?? [];
  }

  #object(key: string): ObjectName {
    splitKey(key);
    const name = this.#prefix + key;
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
      throw createBadKeyError(key, `with its prefix it is longer than ${MAX_NAME_BYTES} bytes`);
    }
    return { client: this.#client, bucket: this.#bucket, name, key, where: this.#where };
  }

  async #asked<T>(action: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.#asStoreError(error, action);
    }
  }

  #asStoreError(error: unknown, action: string): StoreError {
    return toObjectError(error, { action, where: this.#where });
  }
}

/** Another process may have ended the upload meanwhile. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof Error && error.name === 'NoSuchUpload')) throw error;
}
