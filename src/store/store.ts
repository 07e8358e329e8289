/**
 * The store of one campaign's output tree, and its errors. The same few methods fit a folder and an object store: a key is
 * a path with `/` below the campaign, and a file is written whole or not at all.
 */
import { createHash, hash } from 'node:crypto';
import { readErrno } from '../domain/process.ts';
import { describeFailure, readFailureCode } from '../services/connection.ts';
import { formatSize } from '../domain/units.ts';
import { HundredfoldError, type ErrorCode, type ErrorOptions } from '../domain/errors.ts';

/** What identifies the content of a file. */
export interface FileDigest {
  /** Length in bytes. */
  readonly bytes: number;
  /** SHA-256 in lower-case hexadecimal digits. */
  readonly sha256: string;
}

export type StoreData = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface WriteOptions {
  /** Length in bytes that the sender announced; any other length is refused as `STORE_TRUNCATED`. */
  readonly expectedBytes?: number;
  /**
   * Bytes of the disk to keep free, so that records can still be written: a write that would leave less is refused as
   * `STORE_FULL`, before its first byte if the length is known. A store without a disk ignores it.
   */
  readonly keepFree?: number;
  /**
   * `true` (default): when the promise is fulfilled the file survives a power cut. `false`: it does so only after
   * `flush`; for thousands of small files in a row.
   */
  readonly durable?: boolean;
}

/**
 * Every method throws `StoreError` for errors of the store, and rethrows errors of the sender
 * unchanged: a sender that is aborted ends a write.
 */
export interface Store {
  /** Address of the tree as the user knows it: a folder or an address. */
  readonly location: string;
  /** The best number of concurrent calls for this store: a disk seeks, a network waits. */
  readonly atOnce: number;
  /**
   * Writes a whole file and replaces an existing one. It is invisible until it is complete. The digest is that of the
   * bytes that were written.
   */
  write(key: string, data: StoreData, options?: WriteOptions): Promise<FileDigest>;
  /**
   * Writes a whole file unless one of this name exists: then that file is left unchanged, and the result is false. If
   * several callers create the same key concurrently, on any number of machines, exactly one gets true (object stores:
   * a conditional write, `If-None-Match: *`). The file survives a power cut.
   */
  create(key: string, data: string): Promise<boolean>;
  /**
   * Writes a whole file in place of one that was read. False: the file is no longer `former`, because another process
   * has changed or removed it, and nothing is written. A store that cannot compare and replace in one step (a folder, a
   * bucket without `If-Match`) does not see a change in the moment between.
   */
  replace(key: string, data: string, former: string): Promise<boolean>;
  /** Makes files written with `durable: false` survive a power cut. */
  flush(keys: Iterable<string>): Promise<void>;
  /** The whole file; null if there is none. */
  read(key: string): Promise<Uint8Array | null>;
  /** The whole file as UTF-8 text; null if there is none. */
  readText(key: string): Promise<string | null>;
  /** Current length and SHA-256 of a file; null if there is none. */
  digest(key: string): Promise<FileDigest | null>;
  /** The file in pieces; throws `STORE_MISSING` at the first piece if there is none. */
  readStream(key: string): AsyncIterable<Uint8Array>;
  /**
   * The keys that begin with `prefix` (all with ''), in order, by code units in a folder and by UTF-8 in a bucket, which is
   * the same for all names that are written here; no temporary files.
   */
  list(prefix: string): AsyncIterable<string>;
  /** The top-level names that contain files, in order. */
  folders(): AsyncIterable<string>;
  exists(key: string): Promise<boolean>;
  /** Removes a file; no error if there is none. */
  remove(key: string): Promise<void>;
  /** Remains of interrupted writes, as text for people; not keys. */
  leftovers(): AsyncIterable<string>;
  /** Removes the leftovers. Call it only while there are no writers. */
  sweep(): Promise<void>;
}

/** The data of a write on its way: counted, hashed, and compared with its announced length. */
export class Incoming {
  bytes = 0;
  /** Set if the sender or its length failed, and not the store. */
  failure: { readonly error: unknown } | null = null;
  readonly #hash = createHash('sha256');
  /** For messages. */
  readonly key: string;

  constructor(key: string) {
    this.key = key;
  }

  /** @throws what the sender throws, and `STORE_TRUNCATED` */
  async *chunks(
    data: StoreData,
    { expectedBytes: expected }: WriteOptions,
  ): AsyncGenerator<Uint8Array> {
    const source = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
    try {
      for await (const chunk of source instanceof Uint8Array ? [source] : source) {
        this.bytes += chunk.byteLength;
        if (expected !== undefined && this.bytes > expected) throw this.#wrong(expected);
        this.#hash.update(chunk);
        yield chunk;
      }
      if (expected !== undefined && this.bytes !== expected) throw this.#wrong(expected);
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }

  /** Once all has arrived. */
  get digest(): FileDigest {
    return { bytes: this.bytes, sha256: this.#hash.copy().digest('hex') };
  }

  #wrong(expected: number): Error {
    return createWrongLengthError(this.key, expected, this.bytes);
  }
}

export function computeDigest(data: string | Uint8Array): FileDigest {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
  return { bytes: bytes.byteLength, sha256: hash('sha256', bytes) };
}

/** As UTF-8, without a copy of the bytes. */
export function decodeText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}

/**
 * `retryable`: the same write can succeed later without a change to the item. A full disk is a fault of the machine, and
 * an absent server one of the network: they can be put right while the campaign waits, and must not fail the item.
 */
export class StoreError extends HundredfoldError {
  /** Whether a later retry can help, once the remedy was applied. */
  readonly retryable: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    remedy: string,
    { retryable = false, ...options }: ErrorOptions & { readonly retryable?: boolean } = {},
  ) {
    super(code, message, remedy, options);
    this.name = 'StoreError';
    this.retryable = retryable;
  }
}

interface ErrorMeaning {
  readonly code: ErrorCode;
  /** Why nothing could be done, and what to do. */
  readonly why: string;
  readonly remedy: string;
  /** Codes of the system (errno(3)); names of errors of S3 and its SDK, including those that only some servers use. */
  readonly names: readonly string[];
  /** Of an answer with another name, or without one: that to a HEAD has no body. */
  readonly statuses?: readonly number[];
}

const LATER = 'The campaign then continues automatically; nothing is submitted twice.';
const FREE_SPACE = `Free some space there, or raise the quota. ${LATER}`;

const MEANINGS: readonly ErrorMeaning[] = [
  {
    code: 'STORE_FULL',
    why: 'there is no room left, or the quota is used up',
    remedy: FREE_SPACE,
    names: ['ENOSPC', 'EDQUOT', 'QuotaExceeded'],
    statuses: [507],
  },
  {
    code: 'STORE_FULL',
    why: 'the file is larger than this file system or the shell allows',
    remedy: FREE_SPACE,
    names: ['EFBIG'],
  },
  {
    code: 'STORE_ACCESS_DENIED',
    why: 'permission was denied, or the file system is read-only',
    remedy:
      'Make the folder writable for the user that runs the worker, or choose another one with --out.',
    names: ['EACCES', 'EPERM', 'EROFS'],
  },
  {
    code: 'STORE_ACCESS_DENIED',
    why: 'access was denied',
    remedy: `Check the credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE, a role) and that they may list, read, write and delete there. ${LATER}`,
    names: ['InvalidToken', 'ExpiredToken', 'TokenRefreshRequired'],
    statuses: [401, 403],
  },
  {
    code: 'STORE_ACCESS_DENIED',
    why: 'no credentials were found, or they could not be loaded',
    remedy: `Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give this machine a role. ${LATER}`,
    names: ['CredentialsProviderError', 'TokenProviderError'],
  },
  {
    code: 'STORE_BUSY',
    why: 'too many files are open on this machine',
    remedy: 'Raise the limit on open files (ulimit -n), or run fewer workers on this machine.',
    names: ['EMFILE', 'ENFILE'],
  },
  {
    code: 'STORE_BUSY',
    why: 'the store reports that it is overloaded or unavailable',
    remedy:
      'The request is retried. If the problem remains, run fewer workers, or contact the operators of the store.',
    names: ['ThrottlingException'],
    statuses: [429, 500, 502, 503, 504],
  },
  {
    code: 'STORE_BAD_KEY',
    why: 'there is a file in place of a folder, a folder or link in place of the file, or the name is too long',
    remedy: 'Move the file, folder or object at that place of the output folder or bucket.',
    names: [
      ...['EISDIR', 'ENOTEMPTY', 'ENOTDIR', 'ELOOP', 'EEXIST'],
      ...['KeyTooLongError', 'ObjectParentIsFile', 'ExistingObjectIsDirectory'],
    ],
  },
  {
    code: 'STORE_UNUSABLE',
    why: 'there is no such bucket',
    remedy: `Create it, or correct store.url; also check store.endpoint and store.region. ${LATER}`,
    names: ['NoSuchBucket'],
  },
  {
    code: 'STORE_UNUSABLE',
    why: 'the region is not configured, or the bucket is in another region or belongs to another endpoint',
    remedy: `Set store.region (or AWS_REGION) and store.endpoint to those of the bucket. ${LATER}`,
    names: [
      'AuthorizationHeaderMalformed',
      'IllegalLocationConstraintException',
      'Region is missing',
    ],
    statuses: [301],
  },
  {
    code: 'STORE_UNUSABLE',
    why: 'the clock of this machine differs too much from that of the store',
    remedy: `Synchronise the clock of this machine (NTP). ${LATER}`,
    names: ['RequestTimeTooSkewed'],
  },
  {
    code: 'STORE_DIGEST_MISMATCH',
    why: 'the object that arrived is not the one that was sent',
    remedy:
      'The request is retried. If the problem remains, look for a proxy in between that changes bodies.',
    names: ['BadDigest', 'InvalidDigest', 'XAmzContentSHA256Mismatch'],
  },
];

/**
 * An error of the file system, or of the SDK of a bucket, in words. The text of the SDK is left out, because it may quote
 * what was signed.
 * @param action completes "Cannot …"
 * @param bucket its address, and the endpoint if one is configured; null for a folder
 */
export function toStoreError(
  error: unknown,
  action: string,
  bucket: string | null = null,
): StoreError {
  if (error instanceof StoreError) return error;
  const { code, why, remedy } = findMeaning(error) ?? explainUnknown(error, bucket);
  const place = bucket === null ? '' : ` in ${bucket}`;
  const { requestId = '' } = readAnswer(error);
  const request = /^[\w-]{1,64}$/.test(requestId) ? ` (request ${requestId})` : '';
  // What is in the way stays there; everything else can be put right while the campaign waits.
  return new StoreError(code, `Cannot ${action}${place}: ${why}${request}.`, remedy, {
    retryable: code !== 'STORE_BAD_KEY',
    ...(bucket === null && { cause: error }),
  });
}

type Explained = Pick<ErrorMeaning, 'code' | 'why' | 'remedy'>;

function findMeaning(error: unknown): Explained | undefined {
  if (!(error instanceof Error)) return undefined;
  const names = [readErrno(error), error.name, error.message];
  const { httpStatusCode: status } = readAnswer(error);
  return (
    MEANINGS.find((one) => one.names.some((name) => names.includes(name))) ??
    MEANINGS.find(({ statuses = [] }) => status !== undefined && statuses.includes(status))
  );
}

function explainUnknown(error: unknown, bucket: string | null): Explained {
  if (bucket === null)
    return {
      code: 'STORE_IO',
      why: `the file system answered ${readErrno(error) ?? 'unknown error'}`,
      remedy: 'Check that the output folder still exists and that its disk is healthy.',
    };
  const { httpStatusCode: status } = readAnswer(error);
  if (status !== undefined)
    return {
      code: 'STORE_IO',
      why: `the store answered ${status} (${error instanceof Error ? error.name : 'no error'})`,
      remedy: 'Check store.url, store.endpoint and store.pathStyle with "hundredfold doctor".',
    };
  return {
    code: 'STORE_UNREACHABLE',
    why: `the store cannot be reached: ${describeFailure(readFailureCode(error))}`,
    remedy: `Check store.endpoint, the network, and whether the store is running. ${LATER}`,
  };
}

/** What the SDK knows of the answer; nothing if there was none. */
interface Answer {
  readonly httpStatusCode?: number;
  readonly requestId?: string;
}

export function readAnswer(error: unknown): Answer {
  return error instanceof Error && '$metadata' in error ? (error.$metadata as Answer) : {};
}

/** A body with another length than the sender had announced. */
export function createWrongLengthError(key: string, expected: number, bytes: number): StoreError {
  return new StoreError(
    'STORE_TRUNCATED',
    `${key} was announced with ${expected} bytes, but ${bytes < expected ? bytes : 'more'} arrived.`,
    'The download is retried; if it keeps failing, contact the service operators.',
    { retryable: true },
  );
}

/** @param needed remaining bytes; null when unknown */
export function createNoRoomError(
  key: string,
  free: number,
  needed: number | null,
  kept: number,
): StoreError {
  const room = needed === null ? '' : `${formatSize(needed)} are needed, and `;
  return new StoreError(
    'STORE_FULL',
    `Cannot write ${key}: the disk has ${formatSize(free)} left; ${room}${formatSize(kept)} are reserved for records.`,
    FREE_SPACE,
    { retryable: true },
  );
}

export function createMissingError(key: string): StoreError {
  return new StoreError(
    'STORE_MISSING',
    `${key} is not in the output tree.`,
    'Run the item again with "hundredfold retry".',
  );
}

/** Codes of an item.json that exists but is unusable: damaged, or the record of another item. */
const DAMAGED_RECORD: readonly string[] = [
  'STORE_RECORD_UNREADABLE',
  'ITEM_RECORD_FOREIGN',
  'STORE_DIGEST_MISMATCH',
] satisfies ErrorCode[];

export function isDamagedRecord(error: unknown): error is StoreError {
  return error instanceof StoreError && DAMAGED_RECORD.includes(error.code);
}

/** For `catch`: what a damaged record would say is left out. Other errors are thrown. */
export function nullIfDamaged(error: unknown): null {
  if (isDamagedRecord(error)) return null;
  throw error;
}

/** For `catch`: whatever the tree does not give now is left out, for any reason. Other errors are thrown. */
export function nullIfUnreadable(error: unknown): null {
  if (error instanceof StoreError) return null;
  throw error;
}
