/**
 * Errors of an object store, with codes. Server, network and credential problems are retryable: they can be fixed while
 * the campaign waits, and must not fail an item.
 */
import type { ErrorCode } from '../domain/errors.ts';
import { StoreError } from './store-error.ts';

const LATER = 'The campaign then continues automatically; nothing is submitted twice.';

interface Meaning {
  readonly code: ErrorCode;
  /** Why nothing could be done, and what to do. */
  readonly why: string;
  readonly remedy: string;
  /** S3 error names, including those that only some servers use. */
  readonly names: readonly string[];
  /** The answer to a HEAD has no body, and therefore no name. */
  readonly statuses?: readonly number[];
}

const MEANINGS: readonly Meaning[] = [
  {
    code: 'STORE_ACCESS_DENIED',
    why: 'access was denied',
    remedy: `Check the credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE, a role) and that they may list, read, write and delete there. ${LATER}`,
    names: [
      ...['AccessDenied', 'Forbidden', 'InvalidAccessKeyId', 'InvalidToken', 'ExpiredToken'],
      ...['SignatureDoesNotMatch', 'TokenRefreshRequired', 'AllAccessDisabled', 'AccountProblem'],
    ],
    statuses: [401, 403],
  },
  {
    code: 'STORE_ACCESS_DENIED',
    why: 'no credentials were found, or they could not be loaded',
    remedy: `Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give this machine a role. ${LATER}`,
    names: ['CredentialsProviderError', 'TokenProviderError'],
  },
  {
    code: 'STORE_UNUSABLE',
    why: 'there is no such bucket',
    remedy: `Create it, or correct store.url; also check store.endpoint and store.region. ${LATER}`,
    names: ['NoSuchBucket'],
  },
  {
    code: 'STORE_UNUSABLE',
    why: 'the bucket is in another region, or belongs to another endpoint',
    remedy: `Set store.region (or AWS_REGION) and store.endpoint to those of the bucket. ${LATER}`,
    names: [
      ...['PermanentRedirect', 'AuthorizationHeaderMalformed'],
      'IllegalLocationConstraintException',
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
    code: 'STORE_BUSY',
    why: 'the store reports that it is overloaded or unavailable',
    remedy:
      'The request is retried. If the problem remains, run fewer workers, or contact the operators of the store.',
    names: ['SlowDown', 'ServiceUnavailable', 'InternalError', 'ThrottlingException'],
    statuses: [429, 500, 502, 503, 504],
  },
  {
    code: 'STORE_FULL',
    why: 'the store has no room left, or the quota is used up',
    remedy: `Free some space there, or raise the quota. ${LATER}`,
    names: ['QuotaExceeded', 'XMinioStorageFull', 'StorageFull'],
    statuses: [507],
  },
  {
    code: 'STORE_DIGEST_MISMATCH',
    why: 'the object that arrived is not the one that was sent',
    remedy:
      'The request is retried. If the problem remains, look for a proxy in between that changes bodies.',
    names: ['BadDigest', 'InvalidDigest', 'XAmzContentSHA256Mismatch'],
  },
  {
    code: 'STORE_BAD_KEY',
    why: 'another object has the same name, or the name is too long',
    remedy: 'Move the object at that place of the bucket.',
    names: ['KeyTooLongError', 'ObjectParentIsFile', 'ExistingObjectIsDirectory'],
  },
];

const NO_REGION = {
  code: 'STORE_UNUSABLE',
  why: 'no region is configured',
  remedy: 'Set store.region or AWS_REGION.',
} as const;

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

/**
 * An error of the SDK in words. Its own text is omitted because it may quote what was signed.
 * @param action completes "Cannot …"
 * @param where the address, and the endpoint if one is configured
 */
export function toObjectError(error: unknown, action: string, where: string): StoreError {
  if (error instanceof StoreError) return error;
  const { code, why, remedy } = explain(error);
  const message = `Cannot ${action} in ${where}: ${why}${readRequestId(error)}.`;
  // An object in the way stays there; everything else can be put right while the campaign waits.
  return new StoreError(code, message, remedy, { retryable: code !== 'STORE_BAD_KEY' });
}

function explain(error: unknown): Pick<Meaning, 'code' | 'why' | 'remedy'> {
  const name = error instanceof Error ? error.name : 'unknown error';
  const status = readHttpStatus(error);
  const meaning =
    MEANINGS.find(({ names }) => names.includes(name)) ??
    MEANINGS.find(({ statuses = [] }) => status !== null && statuses.includes(status));
  if (meaning !== undefined) return meaning;
  if (error instanceof Error && /region is missing/i.test(error.message)) return NO_REGION;
  if (status !== null)
    return {
      code: 'STORE_IO',
      why: `the store answered ${status} (${name})`,
      remedy: 'Check store.url, store.endpoint and store.pathStyle with "hundredfold doctor".',
    };
  const code = readCode(error) ?? (name === 'TimeoutError' ? 'ETIMEDOUT' : name);
  return {
    code: 'STORE_UNREACHABLE',
    why: `the store cannot be reached: ${UNREACHED[code] ?? code}`,
    remedy: `Check store.endpoint, the network, and whether the store is running. ${LATER}`,
  };
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

/** The bytes of an object differ from those stored, as the SDK has found. */
export function isDamagedObject(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Checksum mismatch');
}

export function createDamagedObjectError(key: string, where: string): StoreError {
  return new StoreError(
    'STORE_DIGEST_MISMATCH',
    `${key} in ${where} is not what was stored: its SHA-256 differs from the one that the store keeps with it.`,
    'Restore the object from a copy, or run the item again with "hundredfold retry".',
  );
}
