/**
 * Errors of the store, with codes. `retryable`: the same write can succeed later without a change to the item. A full
 * disk is a fault of the machine and must not fail the item.
 */
import type { StoreCode } from '../domain/error-codes/registry.ts';
import { HundredfoldError } from '../domain/errors.ts';

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

interface Meaning {
  readonly code: StoreCode;
  readonly what: string;
  readonly remedy: string;
  readonly retryable: boolean;
}

const FULL: Omit<Meaning, 'what'> = {
  code: 'STORE_FULL',
  remedy:
    'Free some space there, or raise the quota. The campaign then continues; nothing is submitted twice.',
  retryable: true,
};
const READ_ONLY: Omit<Meaning, 'what'> = {
  code: 'STORE_READ_ONLY',
  remedy:
    'Make the folder writable for the user that runs the worker, or choose another one with --out.',
  retryable: true,
};
const BUSY: Omit<Meaning, 'what'> = {
  code: 'STORE_BUSY',
  remedy: 'Raise the limit on open files (ulimit -n), or run fewer workers on this machine.',
  retryable: true,
};
const IN_THE_WAY: Omit<Meaning, 'what'> = {
  code: 'STORE_BAD_KEY',
  remedy: 'Move the file or folder at that place of the output folder.',
  retryable: false,
};

/** System error codes (errno(3)) that a user can fix. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOSPC: { ...FULL, what: 'the disk is full' },
  EDQUOT: { ...FULL, what: 'the disk quota is used up' },
  EFBIG: { ...FULL, what: 'the file is larger than this file system or the shell allows' },
  EROFS: { ...READ_ONLY, what: 'the file system is read-only' },
  EACCES: { ...READ_ONLY, what: 'permission was denied' },
  EPERM: { ...READ_ONLY, what: 'the system does not permit it' },
  EMFILE: { ...BUSY, what: 'too many files are open in this process' },
  ENFILE: { ...BUSY, what: 'too many files are open on this machine' },
  EISDIR: { ...IN_THE_WAY, what: 'there is a folder in place of the file' },
  ENOTEMPTY: { ...IN_THE_WAY, what: 'there is a folder in place of the file' },
  ENOTDIR: { ...IN_THE_WAY, what: 'there is a file in place of a folder' },
  EEXIST: { ...IN_THE_WAY, what: 'something else is in place of the file' },
};

/** An error of the file system in words; `action` completes "Cannot …". */
export function storeErrorOf(error: unknown, action: string): StoreError {
  if (error instanceof StoreError) return error;
  const errno = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  const meaning = MEANINGS[errno] ?? {
    code: 'STORE_IO' as const,
    what: `the file system answered ${errno}`,
    remedy: 'Check that the output folder still exists and that its disk is healthy.',
    retryable: true,
  };
  return new StoreError({
    code: meaning.code,
    message: `Cannot ${action}: ${meaning.what}.`,
    remedy: meaning.remedy,
    retryable: meaning.retryable,
    cause: error,
  });
}

/** A body with another length than the sender had announced. */
export function wrongLength(key: string, expected: number, bytes: number): StoreError {
  return new StoreError({
    code: 'STORE_TRUNCATED',
    message: `${key} was announced with ${expected} bytes, but ${bytes < expected ? bytes : 'more'} arrived.`,
    remedy: 'The download is retried; if it keeps failing, contact the service operators.',
    retryable: true,
  });
}

/** @param needed bytes still to come; null when unknown */
export function noRoom(key: string, free: number, needed: number | null, kept: number): StoreError {
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const room = needed === null ? '' : `${mb(needed)} are needed, and `;
  return new StoreError({
    code: 'STORE_FULL',
    message: `Cannot write ${key}: the disk has ${mb(free)} left; ${room}${mb(kept)} are reserved for records.`,
    remedy: FULL.remedy,
    retryable: true,
  });
}

export function missing(key: string): StoreError {
  return new StoreError({
    code: 'STORE_MISSING',
    message: `${key} is not in the output tree.`,
    remedy: 'Run the item again with "hundredfold retry".',
    retryable: false,
  });
}

/** Codes of an item.json that exists but is unusable: damaged, or the record of another item. */
const DAMAGED_RECORD: readonly string[] = [
  'STORE_RECORD_UNREADABLE',
  'ITEM_RECORD_FOREIGN',
  'STORE_DIGEST_MISMATCH',
];

export function isDamagedRecord(error: unknown): error is StoreError {
  return error instanceof StoreError && DAMAGED_RECORD.includes(error.code);
}
