/** Failed calls to a Temporal server: their gRPC status, and what was refused, as coded errors. */
import { isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { HundredfoldError } from '../domain/errors.ts';

/** grpc/grpc: doc/statuscodes.md */
const STATUS = {
  cancelled: 1,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

interface Status {
  readonly code: number;
  readonly details: string;
}

/** The first status among an error and its causes; null if there is none, or if it has been put in words of our own. */
export function findStatus(error: unknown): Status | null {
  for (let at = error; at instanceof Error && !(at instanceof HundredfoldError); at = at.cause)
    if (isGrpcServiceError(at)) return { code: at.code, details: at.details };
  return null;
}

/** Whether a call failed with one of these. */
export function hasStatus(error: unknown, ...names: readonly (keyof typeof STATUS)[]): boolean {
  const status = findStatus(error);
  return status !== null && names.some((name) => STATUS[name] === status.code);
}

/** The server is unavailable or too busy. */
export function isTemporalAway(error: unknown): boolean {
  const isBusy = hasStatus(error, 'cancelled', 'deadlineExceeded', 'resourceExhausted');
  return isBusy || hasStatus(error, 'internal', 'unavailable');
}

/** The operator service may be restricted: Temporal Cloud and gateways close it. */
export function isClosed(error: unknown): boolean {
  return hasStatus(error, 'permissionDenied', 'unimplemented', 'unauthenticated');
}

/** For `catch`: what a closed call would tell stays unknown. Other errors are thrown. */
export function nullIfClosed(error: unknown): null {
  if (isClosed(error)) return null;
  throw error;
}

/** The coded error of a refused call: a mistake in the configuration must not show a stack trace. null for other failures. */
export function toRefusal(error: unknown, namespace?: string): HundredfoldError | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof HundredfoldError) return at === error ? null : at;
    if (at instanceof NamespaceNotFoundError) return createNamespaceError(at.namespace, error);
  }
  const said = findStatus(error)?.details.trim() ?? '';
  const details = said === '' ? '' : ` ("${said.slice(0, 200)}")`;
  if (hasStatus(error, 'unauthenticated'))
    return new HundredfoldError(
      'TEMPORAL_UNAUTHENTICATED',
      `Temporal does not accept the credentials${details}`,
      'Set temporal.apiKey or temporal.tls.cert and .key, and check that the API key has not expired.',
      { cause: error },
    );
  if (hasStatus(error, 'permissionDenied'))
    return new HundredfoldError(
      'TEMPORAL_PERMISSION_DENIED',
      `Temporal accepts the credentials but does not permit this call${details}`,
      'Ask for read and write permission in the namespace.',
      { cause: error },
    );
  const [, named] = /namespace:? "?([^\s"]+)"? (?:is )?not found/i.exec(said) ?? [];
  if (hasStatus(error, 'notFound') && named !== undefined)
    return createNamespaceError(namespace ?? named, error);
  return null;
}

function createNamespaceError(namespace: string, cause?: unknown): HundredfoldError {
  return new HundredfoldError(
    'TEMPORAL_NAMESPACE_MISSING',
    `Temporal has no namespace ${namespace}`,
    `Check temporal.namespace, or create it: temporal operator namespace create --namespace ${namespace} --retention 30d`,
    { cause },
  );
}
