/**
 * Errors of the store, with codes. `retryable`: the same write can succeed later without a change to the item. A full
 * disk is a fault of the machine and must not fail the item.
 */
import { readErrno } from '../domain/process.ts';
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
  readonly code: keyof typeof REMEDIES;
  readonly what: string;
}

/** System error codes (errno(3)) that a user can fix. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOSPC: { code: 'STORE_FULL', what: 'the disk is full' },
  EDQUOT: { code: 'STORE_FULL', what: 'the disk quota is used up' },
  EFBIG: {
    code: 'STORE_FULL',
    what: 'the file is larger than this file system or the shell allows',
  },
  EROFS: { code: 'STORE_ACCESS_DENIED', what: 'the file system is read-only' },
  EACCES: { code: 'STORE_ACCESS_DENIED', what: 'permission was denied' },
  EPERM: { code: 'STORE_ACCESS_DENIED', what: 'the system does not permit it' },
  EMFILE: { code: 'STORE_BUSY', what: 'too many files are open in this process' },
  ENFILE: { code: 'STORE_BUSY', what: 'too many files are open on this machine' },
  EISDIR: { code: 'STORE_BAD_KEY', what: 'there is a folder in place of the file' },
  ENOTEMPTY: { code: 'STORE_BAD_KEY', what: 'there is a folder in place of the file' },
  ENOTDIR: { code: 'STORE_BAD_KEY', what: 'there is a file in place of a folder' },
  ELOOP: { code: 'STORE_BAD_KEY', what: 'there is a symbolic link in place of the file' },
  EEXIST: { code: 'STORE_BAD_KEY', what: 'something else is in place of the file' },
};

const FREE_SPACE =
  'Free some space there, or raise the quota. The campaign then continues; nothing is submitted twice.';

const REMEDIES = {
  STORE_FULL: FREE_SPACE,
  STORE_ACCESS_DENIED:
    'Make the folder writable for the user that runs the worker, or choose another one with --out.',
  STORE_BUSY: 'Raise the limit on open files (ulimit -n), or run fewer workers on this machine.',
  STORE_BAD_KEY: 'Move the file or folder at that place of the output folder.',
  STORE_IO: 'Check that the output folder still exists and that its disk is healthy.',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** An error of the file system in words; `action` completes "Cannot …". */
export function toStoreError(error: unknown, action: string): StoreError {
  if (error instanceof StoreError) return error;
  const errno = readErrno(error) ?? 'unknown error';
  const { code, what } = MEANINGS[errno] ?? {
    code: 'STORE_IO',
    what: `the file system answered ${errno}`,
  };
  return new StoreError(code, `Cannot ${action}: ${what}.`, REMEDIES[code], {
    retryable: code !== 'STORE_BAD_KEY',
    cause: error,
  });
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
