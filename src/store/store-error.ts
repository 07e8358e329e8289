/**
 * Errors of the store, with codes. `retryable`: the same write can succeed later without a change to the item. A full
 * disk is a fault of the machine, and an absent server one of the network: they can be put right while the campaign
 * waits, and must not fail the item.
 */
import { readErrno } from '../domain/process.ts';
import { describeFailure, readFailureCode } from '../services/connection.ts';
import { formatSize } from '../domain/units.ts';
import { HundredfoldError, type ErrorCode, type ErrorOptions } from '../domain/errors.ts';

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

interface Meaning {
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

const MEANINGS: readonly Meaning[] = [
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

type Explained = Pick<Meaning, 'code' | 'why' | 'remedy'>;

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
