/**
 * Errors of an object store, with codes. Server, network and credential problems are retryable: they can be fixed while
 * the campaign waits, and must not fail an item.
 */
import { StoreError, storeError } from '../store-error.ts';

/** The error for a request; `request` is its id in brackets, or nothing. */
type Meaning = (asked: Asked & { readonly request: string }) => StoreError;

const DENIED: Meaning = (asked) => storeError('STORE_ACCESS_DENIED', { case: 'bucket', ...asked });
const NO_CREDENTIALS: Meaning = (asked) =>
  storeError('STORE_ACCESS_DENIED', { case: 'no credentials', ...asked });
const NO_BUCKET: Meaning = (asked) =>
  storeError('STORE_BUCKET_MISSING', { case: 'bucket', ...asked });
const OTHER_REGION: Meaning = (asked) =>
  storeError('STORE_WRONG_REGION', { case: 'bucket', ...asked });
const NO_REGION: Meaning = (asked) =>
  storeError('STORE_WRONG_REGION', { case: 'no region', ...asked });
const CLOCK: Meaning = (asked) => storeError('STORE_CLOCK_SKEW', { case: 'bucket', ...asked });
const BUSY: Meaning = (asked) => storeError('STORE_BUSY', { case: 'bucket', ...asked });
const FULL: Meaning = (asked) => storeError('STORE_FULL', { case: 'bucket', ...asked });
const DAMAGED: Meaning = (asked) =>
  storeError('STORE_DIGEST_MISMATCH', { case: 'bucket', ...asked });
const IN_THE_WAY: Meaning = (asked) => storeError('STORE_BAD_KEY', { case: 'bucket', ...asked });

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
export function objectErrorOf(error: unknown, asked: Asked): StoreError {
  if (error instanceof StoreError) return error;
  return meaningOf(error)({ ...asked, request: requestOf(error) });
}

function meaningOf(error: unknown): Meaning {
  const name = error instanceof Error ? error.name : 'unknown error';
  if (error instanceof Error && /region is missing/i.test(error.message)) return NO_REGION;
  const status = httpStatusOf(error);
  const known = BY_NAME[name] ?? (status === null ? undefined : BY_STATUS[status]);
  if (known) return known;
  if (status === null) return unreached(error, name);
  return (asked) => storeError('STORE_IO', { case: 'bucket', ...asked, status, name });
}

function unreached(error: unknown, name: string): Meaning {
  const code = codeOf(error);
  const timedOut = name === 'TimeoutError' && code === null;
  const known = timedOut ? 'it did not answer in time' : UNREACHED[code ?? ''];
  const reason = known ?? code ?? name;
  return (asked) => storeError('STORE_UNREACHABLE', { case: 'bucket', ...asked, reason });
}

/** A refused connection to a name with several addresses is an AggregateError. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error.cause === undefined ? null : codeOf(error.cause);
}

/** The status of the answer; null if there was none. */
export function httpStatusOf(error: unknown): number | null {
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
  return httpStatusOf(error) === 412;
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
  return storeError('STORE_DIGEST_MISMATCH', { case: 'object', key, where });
}
