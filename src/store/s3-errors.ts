/**
 * Errors of an object store, with codes. Server, network and credential problems are retryable: they can be fixed while
 * the campaign waits, and must not fail an item.
 */
import type { ErrorCode } from '../domain/errors.ts';
import { StoreError } from './store-error.ts';

const LATER = 'The campaign then continues automatically; nothing is submitted twice.';

/** What went wrong: the code, why nothing could be done, and what to do. */
const MEANINGS = {
  denied: [
    'STORE_ACCESS_DENIED',
    'access was denied',
    `Check the credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE, a role) and that they may list, read, write and delete there. ${LATER}`,
  ],
  noCredentials: [
    'STORE_ACCESS_DENIED',
    'no credentials were found, or they could not be loaded',
    `Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give this machine a role. ${LATER}`,
  ],
  noBucket: [
    'STORE_UNUSABLE',
    'there is no such bucket',
    `Create it, or correct store.url; also check store.endpoint and store.region. ${LATER}`,
  ],
  otherRegion: [
    'STORE_UNUSABLE',
    'the bucket is in another region, or belongs to another endpoint',
    `Set store.region (or AWS_REGION) and store.endpoint to those of the bucket. ${LATER}`,
  ],
  noRegion: ['STORE_UNUSABLE', 'no region is configured', 'Set store.region or AWS_REGION.'],
  clock: [
    'STORE_UNUSABLE',
    'the clock of this machine differs too much from that of the store',
    `Synchronise the clock of this machine (NTP). ${LATER}`,
  ],
  busy: [
    'STORE_BUSY',
    'the store reports that it is overloaded or unavailable',
    'The request is retried. If the problem remains, run fewer workers, or contact the operators of the store.',
  ],
  full: [
    'STORE_FULL',
    'the store has no room left, or the quota is used up',
    `Free some space there, or raise the quota. ${LATER}`,
  ],
  damaged: [
    'STORE_DIGEST_MISMATCH',
    'the object that arrived is not the one that was sent',
    'The request is retried. If the problem remains, look for a proxy in between that changes bodies.',
  ],
  inTheWay: [
    'STORE_BAD_KEY',
    'another object has the same name, or the name is too long',
    'Move the object at that place of the bucket.',
  ],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, why: string, remedy: string]>>;

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
export function toObjectError(error: unknown, { action, where }: Asked): StoreError {
  if (error instanceof StoreError) return error;
  const name = error instanceof Error ? error.name : 'unknown error';
  const status = readHttpStatus(error);
  const fail = (code: ErrorCode, why: string, remedy: string, retryable = true): StoreError =>
    new StoreError(code, `Cannot ${action} in ${where}: ${why}${readRequestId(error)}.`, remedy, {
      retryable,
    });
  const meaning = explainS3Error(error, name, status);
  // An object in the way stays there; everything else can be put right while the campaign waits.
  if (meaning !== null) {
    const [code, why, remedy] = MEANINGS[meaning];
    return fail(code, why, remedy, meaning !== 'inTheWay');
  }
  if (status !== null)
    return fail(
      'STORE_IO',
      `the store answered ${status} (${name})`,
      'Check store.url, store.endpoint and store.pathStyle with "hundredfold doctor".',
    );
  const code = readCode(error);
  const isLate = name === 'TimeoutError' && code === null;
  const known = isLate ? UNREACHED['ETIMEDOUT'] : UNREACHED[code ?? ''];
  return fail(
    'STORE_UNREACHABLE',
    `the store cannot be reached: ${known ?? code ?? name}`,
    `Check store.endpoint, the network, and whether the store is running. ${LATER}`,
  );
}

function explainS3Error(error: unknown, name: string, status: number | null): Meaning | null {
  if (error instanceof Error && /region is missing/i.test(error.message)) return 'noRegion';
  const named = Object.entries(NAMES).find(([, names]) => names.includes(name));
  return (named?.[0] as Meaning | undefined) ?? STATUSES[status ?? 0] ?? null;
}

/** A refused connection to a name with several addresses is an AggregateError. */
function readCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return readCode(error.errors[0]);
  return error.cause === undefined ? null : readCode(error.cause);
}

/** The status of the answer; null if there was none. */
export function readHttpStatus(error: unknown): number | null {
  const status = readMetadata(error)?.httpStatusCode;
  return typeof status === 'number' ? status : null;
}

function readRequestId(error: unknown): string {
  const id = readMetadata(error)?.requestId;
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? ` (request ${id})` : '';
}

function readMetadata(
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
  const code = readCode(error);
  if (code !== null && code in UNREACHED) return true;
  return error instanceof Error && (error.name === 'TimeoutError' || error.message === 'aborted');
}

/** The bytes received differ from those stored. */
export function createDamagedObjectError(key: string, where: string): StoreError {
  return new StoreError(
    'STORE_DIGEST_MISMATCH',
    `${key} in ${where} is not what was stored: its SHA-256 differs from the one that the store keeps with it.`,
    'Restore the object from a copy, or run the item again with "hundredfold retry".',
  );
}
