/**
 * Errors of the store, with codes. `retryable`: the same write can succeed later without a change to the item. A full
 * disk is a fault of the machine and must not fail the item.
 */
import {
  isRetryable,
  type ErrorFacts,
  type StoreCode,
  type WordedCode,
} from '../domain/error-codes/registry.ts';
import { errnoOf } from '../domain/errno.ts';
import { HundredfoldError, textsOf } from '../domain/errors.ts';

export class StoreError extends HundredfoldError {
  /** Whether a later retry can help, once the remedy was applied. */
  readonly retryable: boolean;

  constructor(details: {
    readonly code: StoreCode;
    readonly message: string;
    readonly remedy: string;
    readonly retryable: boolean;
    /** Exit code of a command that fails with it. */
    readonly exitCode?: number;
    readonly cause?: unknown;
  }) {
    super(details);
    this.name = 'StoreError';
    this.retryable = details.retryable;
  }
}

/** The error with this code, with the texts of its table. */
export function storeError<C extends StoreCode & WordedCode>(
  code: C,
  facts: ErrorFacts<C>,
  cause?: unknown,
): StoreError {
  return new StoreError({
    code,
    ...textsOf(code, facts),
    retryable: isRetryable(code, facts),
    cause,
  });
}

interface Meaning {
  readonly code: 'STORE_FULL' | 'STORE_READ_ONLY' | 'STORE_BUSY' | 'STORE_BAD_KEY' | 'STORE_IO';
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
  EROFS: { code: 'STORE_READ_ONLY', what: 'the file system is read-only' },
  EACCES: { code: 'STORE_READ_ONLY', what: 'permission was denied' },
  EPERM: { code: 'STORE_READ_ONLY', what: 'the system does not permit it' },
  EMFILE: { code: 'STORE_BUSY', what: 'too many files are open in this process' },
  ENFILE: { code: 'STORE_BUSY', what: 'too many files are open on this machine' },
  EISDIR: { code: 'STORE_BAD_KEY', what: 'there is a folder in place of the file' },
  ENOTEMPTY: { code: 'STORE_BAD_KEY', what: 'there is a folder in place of the file' },
  ENOTDIR: { code: 'STORE_BAD_KEY', what: 'there is a file in place of a folder' },
  ELOOP: { code: 'STORE_BAD_KEY', what: 'there is a symbolic link in place of the file' },
  EEXIST: { code: 'STORE_BAD_KEY', what: 'something else is in place of the file' },
};

/** An error of the file system in words; `action` completes "Cannot …". */
export function storeErrorOf(error: unknown, action: string): StoreError {
  if (error instanceof StoreError) return error;
  const errno = errnoOf(error) ?? 'unknown error';
  const { code, what } = MEANINGS[errno] ?? {
    code: 'STORE_IO',
    what: `the file system answered ${errno}`,
  };
  return storeError(code, { case: 'folder', action, what }, error);
}

/** A body with another length than the sender had announced. */
export function wrongLength(key: string, expected: number, bytes: number): StoreError {
  return storeError('STORE_TRUNCATED', { key, expected, bytes });
}

/** @param needed remaining bytes; null when unknown */
export function noRoom(key: string, free: number, needed: number | null, kept: number): StoreError {
  return storeError('STORE_FULL', { case: 'reserve', key, free, needed, kept });
}

export function missing(key: string): StoreError {
  return storeError('STORE_MISSING', { case: 'item', key });
}

/** Codes of an item.json that exists but is unusable: damaged, or the record of another item. */
const DAMAGED_RECORD: readonly string[] = [
  'STORE_RECORD_UNREADABLE',
  'ITEM_RECORD_FOREIGN',
  'STORE_DIGEST_MISMATCH',
] satisfies StoreCode[];

export function isDamagedRecord(error: unknown): error is StoreError {
  return error instanceof StoreError && DAMAGED_RECORD.includes(error.code);
}

/** For `catch`: what a damaged record would say is left out. Other errors are thrown. */
export function damagedRecordIsNone(error: unknown): null {
  if (isDamagedRecord(error)) return null;
  throw error;
}

/** For `catch`: whatever the tree does not give now is left out, for any reason. Other errors are thrown. */
export function unreadableIsNone(error: unknown): null {
  if (error instanceof StoreError) return null;
  throw error;
}
