/**
 * Errors of an object store, with codes. Server, network and credential problems are retryable: they can be fixed while
 * the campaign waits, and must not fail an item.
 */
import { StoreError } from '../store-error.ts';
import type { StoreCode } from '../../domain/error-codes/registry.ts';

interface Meaning {
  readonly code: StoreCode;
  readonly what: string;
  readonly remedy: string;
  readonly retryable: boolean;
}

const LATER = 'The campaign then continues automatically; nothing is submitted twice.';

const DENIED: Meaning = {
  code: 'STORE_ACCESS_DENIED',
  what: 'access was denied',
  remedy: `Check the credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE, a role) and that they may list, read, write and delete there. ${LATER}`,
  retryable: true,
};
const NO_CREDENTIALS: Meaning = {
  code: 'STORE_ACCESS_DENIED',
  what: 'no credentials were found, or they could not be loaded',
  remedy: `Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give this machine a role. ${LATER}`,
  retryable: true,
};
const NO_BUCKET: Meaning = {
  code: 'STORE_BUCKET_MISSING',
  what: 'there is no such bucket',
  remedy: `Create it, or correct store.url; also check store.endpoint and store.region. ${LATER}`,
  retryable: true,
};
const OTHER_REGION: Meaning = {
  code: 'STORE_WRONG_REGION',
  what: 'the bucket is in another region, or belongs to another endpoint',
  remedy: `Set store.region (or AWS_REGION) and store.endpoint to those of the bucket. ${LATER}`,
  retryable: true,
};
const NO_REGION: Meaning = {
  ...OTHER_REGION,
  what: 'no region is configured',
  remedy: 'Set store.region or AWS_REGION.',
};
const CLOCK: Meaning = {
  code: 'STORE_CLOCK_SKEW',
  what: 'the clock of this machine differs too much from that of the store',
  remedy: `Synchronise the clock of this machine (NTP). ${LATER}`,
  retryable: true,
};
const BUSY: Meaning = {
  code: 'STORE_BUSY',
  what: 'the store reports that it is overloaded or unavailable',
  remedy:
    'The request is retried. If the problem remains, run fewer workers, or contact the operators of the store.',
  retryable: true,
};
const FULL: Meaning = {
  code: 'STORE_FULL',
  what: 'the store has no room left, or the quota is used up',
  remedy: `Free some space there, or raise the quota. ${LATER}`,
  retryable: true,
};
const DAMAGED: Meaning = {
  code: 'STORE_DIGEST_MISMATCH',
  what: 'the object that arrived is not the one that was sent',
  remedy:
    'The request is retried. If the problem remains, look for a proxy in between that changes bodies.',
  retryable: true,
};
const IN_THE_WAY: Meaning = {
  code: 'STORE_BAD_KEY',
  what: 'another object has the same name, or the name is too long',
  remedy: 'Move the object at that place of the bucket.',
  retryable: false,
};

/** S3 error names, including those that only some servers use. */
const BY_NAME: Readonly<Record<string, Meaning>> = {
  NoSuchBucket: NO_BUCKET,
  AccessDenied: DENIED,
  Forbidden: DENIED,
  InvalidAccessKeyId: DENIED,
  InvalidToken: DENIED,
  SignatureDoesNotMatch: DENIED,
  ExpiredToken: DENIED,
  TokenRefreshRequired: DENIED,
  AllAccessDisabled: DENIED,
  AccountProblem: DENIED,
  CredentialsProviderError: NO_CREDENTIALS,
  TokenProviderError: NO_CREDENTIALS,
  PermanentRedirect: OTHER_REGION,
  AuthorizationHeaderMalformed: OTHER_REGION,
  IllegalLocationConstraintException: OTHER_REGION,
  RequestTimeTooSkewed: CLOCK,
  SlowDown: BUSY,
  ServiceUnavailable: BUSY,
  InternalError: BUSY,
  ThrottlingException: BUSY,
  QuotaExceeded: FULL,
  XMinioStorageFull: FULL,
  StorageFull: FULL,
  BadDigest: DAMAGED,
  InvalidDigest: DAMAGED,
  XAmzContentSHA256Mismatch: DAMAGED,
  KeyTooLongError: IN_THE_WAY,
  ObjectParentIsFile: IN_THE_WAY,
  ExistingObjectIsDirectory: IN_THE_WAY,
};

/** The answer to a HEAD has no body, and therefore no name. */
const BY_STATUS: Readonly<Record<number, Meaning>> = {
  301: OTHER_REGION,
  401: DENIED,
  403: DENIED,
  429: BUSY,
  500: BUSY,
  502: BUSY,
  503: BUSY,
  504: BUSY,
  507: FULL,
};

/** Codes of the system and of TLS if there was no answer. */
const UNREACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name could not be resolved',
  EHOSTUNREACH: 'there is no route to its host',
  ENETUNREACH: 'there is no route to its network',
  ETIMEDOUT: 'it did not answer in time',
};

interface Asked {
  /** Completes "Cannot …". */
  readonly action: string;
  /** The address, and the endpoint if one is configured. */
  readonly where: string;
}

/** An error of the SDK in words. Its own text is omitted because it may quote what was signed. */
export function objectErrorOf(error: unknown, { action, where }: Asked): StoreError {
  if (error instanceof StoreError) return error;
  const meaning = meaningOf(error);
  return new StoreError({
    code: meaning.code,
    message: `Cannot ${action} in ${where}: ${meaning.what}${requestOf(error)}.`,
    remedy: meaning.remedy,
    retryable: meaning.retryable,
  });
}

function meaningOf(error: unknown): Meaning {
  const name = error instanceof Error ? error.name : 'unknown error';
  if (error instanceof Error && /region is missing/i.test(error.message)) return NO_REGION;
  const status = statusOf(error);
  const known = BY_NAME[name] ?? (status === null ? undefined : BY_STATUS[status]);
  if (known) return known;
  if (status === null) return unreached(error, name);
  return {
    code: 'STORE_IO',
    what: `the store answered ${status} (${name})`,
    remedy: 'Check store.url, store.endpoint and store.pathStyle with "hundredfold doctor".',
    retryable: true,
  };
}

function unreached(error: unknown, name: string): Meaning {
  const code = codeOf(error);
  const timedOut = name === 'TimeoutError' && code === null;
  const known = timedOut ? 'it did not answer in time' : UNREACHED[code ?? ''];
  const what = known ?? code ?? name;
  return {
    code: 'STORE_UNREACHABLE',
    what: `the store cannot be reached: ${what}`,
    remedy: `Check store.endpoint, the network, and whether the store is running. ${LATER}`,
    retryable: true,
  };
}

/** A refused connection to a name with several addresses is an AggregateError. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error.cause === undefined ? null : codeOf(error.cause);
}

/** The status of the answer; null if there was none. */
export function statusOf(error: unknown): number | null {
  const status = metadataOf(error)?.httpStatusCode;
  return typeof status === 'number' ? status : null;
}

function requestOf(error: unknown): string {
  const id = metadataOf(error)?.requestId;
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? ` (request ${id})` : '';
}

function metadataOf(
  error: unknown,
): { readonly httpStatusCode?: unknown; readonly requestId?: unknown } | null {
  if (!(error instanceof Error) || !('$metadata' in error)) return null;
  return typeof error.$metadata === 'object' ? error.$metadata : null;
}

/** There is no object of this key. A missing bucket is a different error. */
export function isAbsentObject(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name);
}

/** The condition of a write was not met: an object of this key exists. */
export function isTaken(error: unknown): boolean {
  return statusOf(error) === 412;
}

/** Another conditional write of the same key was in progress. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && error.name === 'ConditionalRequestConflict';
}

/** The connection broke or was silent too long: reading can continue on a new one. */
export function isBroken(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== null && code in UNREACHED) return true;
  return error instanceof Error && (error.name === 'TimeoutError' || error.message === 'aborted');
}

/** The bytes received differ from those stored. */
export function damagedObject(key: string, where: string): StoreError {
  return new StoreError({
    code: 'STORE_DIGEST_MISMATCH',
    message: `${key} in ${where} is not what was stored: its SHA-256 differs from the one that the store keeps with it.`,
    remedy: 'Restore the object from a copy, or run the item again with "hundredfold retry".',
    retryable: false,
  });
}
