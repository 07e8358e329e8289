/**
 * The output tree as objects of a bucket, below a prefix. An object appears when its upload is complete, so that
 * readers see all of it or nothing, also after a crash; `If-None-Match: *` lets one of several writers create a key.
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  paginateListObjectsV2,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import {
  type ObjectAddress,
  type ObjectStoreAccess,
  createBadKeyError,
  splitKey,
} from './layout.ts';
import {
  createMissingError,
  readAnswer,
  StoreError,
  toStoreError,
  computeDigest,
  decodeText,
  type FileDigest,
  Incoming,
  type Store,
  type StoreData,
  type WriteOptions,
} from './store.ts';

/** Limit of S3 for the full name, with the prefix. */
const MAX_NAME_BYTES = 1024;
/** Connections that one process keeps open to a server. */
const MAX_SOCKETS = 64;
const CONNECT_TIMEOUT_MS = 5_000;
/** Until the answer begins; a part of a large file is uploaded within it. */
const ANSWER_TIMEOUT_MS = 60_000;
/** A connection without any traffic for this long is dead. */
const SILENCE_TIMEOUT_MS = 20_000;
/** With the SDK's growing delay about ten seconds; callers wait during longer outages. */
const MAX_ATTEMPTS = 5;
/** Servers other than AWS accept any region, but the SDK requires one. */
const ANY_REGION = 'us-east-1';
/** Smaller data is sent in one request; a file of more than 10,000 parts, 80 GB, is refused by S3. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts in memory at the same time. */
const MAX_PARTS_AT_ONCE = 3;

const clients = new Map<string, S3Client>();

/** Clients hold connections: all stores of a process share those to a server. */
function findClient({ endpoint, region, pathStyle }: ObjectStoreAccess): S3Client {
  const key = JSON.stringify([endpoint, region, pathStyle]);
  const named = region ?? (endpoint === undefined ? undefined : ANY_REGION);
  const client =
    clients.get(key) ??
    new S3Client({
      ...(endpoint !== undefined && { endpoint }),
      ...(named !== undefined && { region: named }),
      forcePathStyle: pathStyle ?? endpoint !== undefined,
      maxAttempts: MAX_ATTEMPTS,
      expectContinueHeader: false,
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        requestTimeout: ANSWER_TIMEOUT_MS,
        throwOnRequestTimeout: true,
        socketTimeout: SILENCE_TIMEOUT_MS,
        httpAgent: { maxSockets: MAX_SOCKETS },
        httpsAgent: { maxSockets: MAX_SOCKETS },
      },
    });
  clients.set(key, client);
  return client;
}

/** Content types for browsers: a report in a bucket is displayed, not downloaded. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  ...Object.fromEntries(
    ['log', 'txt', 'fasta', 'pdb', 'mol2', 'gro', 'itp', 'top', 'mdp'].map((ending) => [
      ending,
      'text/plain; charset=utf-8',
    ]),
  ),
};

/** In the metadata of an object: the call that created it. */
const CREATOR = 'creator';

/** The object exists, or is another one. */
const CONDITION_NOT_MET = 412;
/** Statuses of servers that do not support `If-Match`: they are as a folder, which replaces whatever is there. */
const WITHOUT_IF_MATCH: readonly (number | undefined)[] = [400, 501];
/** Of conditional writes of the same key at the same time. */
const MAX_CONFLICTS = 8;
const CONFLICT_WAIT_MS = 50;

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

  /** In one request if it is small, in parts if it is large. The SDK removes the parts of an upload that fails. */
  async write(key: string, data: StoreData, options: WriteOptions = {}): Promise<FileDigest> {
    const incoming = new Incoming(key);
    const upload = new Upload({
      client: this.#client,
      partSize: PART_BYTES,
      queueSize: MAX_PARTS_AT_ONCE,
      params: {
        ...this.#describe(key),
        Body: Readable.from(incoming.chunks(data, options), { objectMode: false }),
      },
    });
    await this.#ask(`write ${key}`, () => upload.done()).catch((error: unknown) => {
      throw incoming.failure === null ? error : incoming.failure.error;
    });
    return incoming.digest;
  }

  /**
   * If the answer to a creation is lost, the SDK repeats the request, which then fails because of its own first
   * attempt: a mark of the call in the object's metadata shows this. Rejected: comparing the content; two workers may
   * write the same note, and only one may continue.
   */
  async create(key: string, data: string): Promise<boolean> {
    const creator = randomUUID();
    const marked = { Metadata: { [CREATOR]: creator } };
    const made = await this.#ask(`write ${key}`, () =>
      this.#putIf(key, data, { IfNoneMatch: '*', ...marked }),
    );
    return made || (await this.#head(key))?.Metadata?.[CREATOR] === creator;
  }

  async replace(key: string, data: string, former: string): Promise<boolean> {
    const etag = (await this.#head(key))?.ETag;
    if (etag === undefined || (await this.readText(key)) !== former) return false;
    const isReplaced = await this.#ask(`write ${key}`, () =>
      this.#putIf(key, data, { IfMatch: etag }).catch((error: unknown) => {
        if (!WITHOUT_IF_MATCH.includes(readAnswer(error).httpStatusCode)) throw error;
        return this.#putIf(key, data, {});
      }),
    );
    // The first answer may have been lost; this may be the answer to the second attempt.
    return isReplaced || (await this.readText(key)) === data;
  }

  /** False if the condition is not met. */
  async #putIf(
    key: string,
    data: string,
    condition: Pick<PutObjectCommandInput, 'IfNoneMatch' | 'IfMatch' | 'Metadata'>,
  ): Promise<boolean> {
    const command = new PutObjectCommand({ ...this.#describe(key), ...condition, Body: data });
    for (let conflicts = 0; ; conflicts += 1) {
      try {
        await this.#client.send(command);
        return true;
      } catch (error) {
        if (readAnswer(error).httpStatusCode === CONDITION_NOT_MET || isAbsentObject(error))
          return false;
        if (!isConflict(error) || conflicts === MAX_CONFLICTS) throw error;
        await delay(CONFLICT_WAIT_MS * (conflicts + 1));
      }
    }
  }

  /** A written object is durable. */
  async flush(): Promise<void> {
    await Promise.resolve();
  }

  async read(key: string): Promise<Uint8Array | null> {
    try {
      return Buffer.concat(await Array.fromAsync(this.readStream(key)));
    } catch (error) {
      if (error instanceof StoreError && error.code === 'STORE_MISSING') return null;
      throw error;
    }
  }

  async readText(key: string): Promise<string | null> {
    const bytes = await this.read(key);
    return bytes && decodeText(bytes);
  }

  /**
   * The digest that the server keeps with the object, against which it checked the upload; an object without one, such
   * as one that was uploaded in parts or by another program, is read.
   */
  async digest(key: string): Promise<FileDigest | null> {
    const head = await this.#head(key);
    if (head === null) return null;
    const { ContentLength: bytes, ChecksumSHA256: sum, ChecksumType: type } = head;
    // That of a multipart upload is a digest of digests.
    if (bytes !== undefined && sum !== undefined && type !== 'COMPOSITE')
      return { bytes, sha256: Buffer.from(sum, 'base64').toString('hex') };
    const content = await this.read(key);
    return content && computeDigest(content);
  }

  /** The SDK compares it with the digest that the server keeps. */
  async *readStream(key: string): AsyncIterable<Uint8Array> {
    const command = new GetObjectCommand({ ...this.#name(key), ChecksumMode: 'ENABLED' });
    try {
      const { Body } = await this.#client.send(command);
      yield* Body as Readable;
    } catch (error) {
      if (isAbsentObject(error)) throw createMissingError(key);
      if (isDamagedObject(error)) throw createDamagedError(key, this.#where);
      throw toStoreError(error, `read ${key}`, this.#where);
    }
  }

  async *list(prefix: string): AsyncIterable<string> {
    for await (const { Contents = [] } of this.#listPages({ Prefix: this.#prefix + prefix })) {
      for (const { Key } of Contents) {
        // Some programs mark an empty folder by an object with a trailing slash: it is not a file of a tree.
        if (Key !== undefined && !Key.endsWith('/')) yield Key.slice(this.#prefix.length);
      }
    }
  }

  async *folders(): AsyncIterable<string> {
    const query = { Prefix: this.#prefix, Delimiter: '/' };
    for await (const { CommonPrefixes = [] } of this.#listPages(query)) {
      for (const { Prefix } of CommonPrefixes) {
        if (Prefix !== undefined) yield Prefix.slice(this.#prefix.length, -1);
      }
    }
  }

  async *#listPages(query: { readonly Prefix: string; readonly Delimiter?: string }) {
    try {
      yield* paginateListObjectsV2({ client: this.#client }, { Bucket: this.#bucket, ...query });
    } catch (error) {
      throw toStoreError(error, 'list the objects', this.#where);
    }
  }

  async exists(key: string): Promise<boolean> {
    return (await this.#head(key)) !== null;
  }

  async remove(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#name(key));
    await this.#ask(`remove ${key}`, () => this.#client.send(command));
  }

  /** Parts of an upload whose process was killed are no objects; a rule of the bucket removes them. */
  async *leftovers(): AsyncIterable<string> {
    // None.
  }

  async sweep(): Promise<void> {
    await Promise.resolve();
  }

  /** Null if there is no such object. */
  async #head(key: string): Promise<HeadObjectCommandOutput | null> {
    const command = new HeadObjectCommand({ ...this.#name(key), ChecksumMode: 'ENABLED' });
    return this.#ask(`look at ${key}`, () =>
      this.#client.send(command).catch((error: unknown) => {
        if (isAbsentObject(error)) return null;
        throw error;
      }),
    );
  }

  #name(key: string): { readonly Bucket: string; readonly Key: string } {
    splitKey(key);
    const name = this.#prefix + key;
    if (Buffer.byteLength(name) > MAX_NAME_BYTES)
      throw createBadKeyError(key, `with its prefix it is longer than ${MAX_NAME_BYTES} bytes`);
    return { Bucket: this.#bucket, Key: name };
  }

  /** An object to be written: the server refuses a body with another SHA-256, and keeps it. */
  #describe(key: string) {
    const type = TYPES[key.slice(key.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    return { ...this.#name(key), ContentType: type, ChecksumAlgorithm: 'SHA256' as const };
  }

  async #ask<T>(action: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw toStoreError(error, action, this.#where);
    }
  }
}

/** There is no object of this key. A missing bucket is a different error. */
function isAbsentObject(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name);
}

/** Another conditional write of the same key was in progress. */
function isConflict(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalRequestConflict';
}

/** The bytes of an object differ from those stored, as the SDK has found. */
function isDamagedObject(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Checksum mismatch');
}

function createDamagedError(key: string, where: string): StoreError {
  return new StoreError(
    'STORE_DIGEST_MISMATCH',
    `${key} in ${where} is not what was stored: its SHA-256 differs from the one that the store keeps with it.`,
    'Restore the object from a copy, or run the item again with "hundredfold retry".',
  );
}
