/**
 * Errors of an object store, with codes. Server, network and credential problems are retryable: they can be fixed while
 * the campaign waits, and must not fail an item.
 */
import { StoreError, storeError } from './store-error.ts';

/** The code of an error, and the case of its words. */
const MEANINGS = {
  denied: ['STORE_ACCESS_DENIED', 'bucket'],
  noCredentials: ['STORE_ACCESS_DENIED', 'no credentials'],
  noBucket: ['STORE_BUCKET_MISSING', 'bucket'],
  otherRegion: ['STORE_WRONG_REGION', 'bucket'],
  noRegion: ['STORE_WRONG_REGION', 'no region'],
  clock: ['STORE_CLOCK_SKEW', 'bucket'],
  busy: ['STORE_BUSY', 'bucket'],
  full: ['STORE_FULL', 'bucket'],
  damaged: ['STORE_DIGEST_MISMATCH', 'bucket'],
  inTheWay: ['STORE_BAD_KEY', 'bucket'],
} as const;

type Meaning = keyof typeof MEANINGS;

/** S3 error names, including those that only some servers use. */
const NAMES: Readonly<Record<Exclude<Meaning, 'noRegion'>, readonly string[]>> = {
  noBucket: ['NoSuchBucket'],
  denied: [
    ...['AccessDenied', 'Forbidden', 'InvalidAccessKeyId', 'InvalidToken', 'SignatureDoesNotMatch'],
    ...['ExpiredToken', 'TokenRefreshRequired', 'AllAccessDisabled', 'AccountProblem'],
  ],
  noCredentials: ['CredentialsProviderError', 'TokenProviderError'],
  otherRegion: [
    ...['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'],
  ],
  clock: ['RequestTimeTooSkewed'],
  busy: ['SlowDown', 'ServiceUnavailable', 'InternalError', 'ThrottlingException'],
  full: ['QuotaExceeded', 'XMinioStorageFull', 'StorageFull'],
  damaged: ['BadDigest', 'InvalidDigest', 'XAmzContentSHA256Mismatch'],
  inTheWay: ['KeyTooLongError', 'ObjectParentIsFile', 'ExistingObjectIsDirectory'],
};

/** The answer to a HEAD has no body, and therefore no name. */
const STATUSES: Readonly<Record<number, Meaning>> = {
  301: 'otherRegion',
  401: 'denied',
  403: 'denied',
  429: 'busy',
  500: 'busy',
  502: 'busy',
  503: 'busy',
  504: 'busy',
  507: 'full',
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
export function objectErrorOf(error: unknown, to: Asked): StoreError {
  if (error instanceof StoreError) return error;
  const asked = { ...to, request: requestOf(error) };
  const name = error instanceof Error ? error.name : 'unknown error';
  const status = httpStatusOf(error);
  const meaning = meaningOf(error, name, status);
  if (meaning !== null) {
    const [code, words] = MEANINGS[meaning];
    return storeError(code, { case: words, ...asked });
  }
  if (status !== null) return storeError('STORE_IO', { case: 'bucket', ...asked, status, name });
  const code = codeOf(error);
  const isLate = name === 'TimeoutError' && code === null;
  const known = isLate ? UNREACHED['ETIMEDOUT'] : UNREACHED[code ?? ''];
  const reason = known ?? code ?? name;
  return storeError('STORE_UNREACHABLE', { case: 'bucket', ...asked, reason });
}

function meaningOf(error: unknown, name: string, status: number | null): Meaning | null {
  if (error instanceof Error && /region is missing/i.test(error.message)) return 'noRegion';
  const named = Object.entries(NAMES).find(([, names]) => names.includes(name));
  return (named?.[0] as Meaning | undefined) ?? STATUSES[status ?? 0] ?? null;
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
