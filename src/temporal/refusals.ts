/** Calls refused by a Temporal server, as coded errors: a mistake in the configuration must not show a stack trace. */
import { isGrpcServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { codedError, HundredfoldError } from '../domain/errors.ts';

/** grpc/grpc: doc/statuscodes.md */
export const STATUS = {
  notFound: 5,
  permissionDenied: 7,
  unimplemented: 12,
  unauthenticated: 16,
} as const;

interface Status {
  readonly code: number;
  readonly details: string;
}

/** The gRPC status of an error, or of its cause; null if there is none. */
export function statusOf(error: unknown): Status | null {
  for (let at = error; at instanceof Error; at = at.cause)
    if (isGrpcServiceError(at)) return { code: at.code, details: at.details };
  return null;
}

/** The operator service may be restricted: Temporal Cloud and gateways close it. */
export function isClosed(error: unknown): boolean {
  const { permissionDenied, unimplemented, unauthenticated } = STATUS;
  const status = statusOf(error);
  return (
    status !== null &&
    [permissionDenied, unimplemented, unauthenticated].some((c) => c === status.code)
  );
}

/** The coded error of a refused call; null for other failures. */
export function refusalOf(error: unknown, namespace?: string): HundredfoldError | null {
  if (error instanceof HundredfoldError) return null;
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof HundredfoldError) return at;
    if (at instanceof NamespaceNotFoundError) return namespaceMissing(at.namespace, error);
  }
  const status = statusOf(error);
  if (!status) return null;
  if (status.code === STATUS.unauthenticated) return unauthenticated(status, error);
  if (status.code === STATUS.permissionDenied) return permissionDenied(status, error);
  const [, named] = /namespace:? "?([^\s"]+)"? (?:is )?not found/i.exec(status.details) ?? [];
  if (status.code === STATUS.notFound && named !== undefined)
    return namespaceMissing(namespace ?? named, error);
  return null;
}

export function namespaceMissing(namespace: string, cause?: unknown): HundredfoldError {
  return codedError('TEMPORAL_NAMESPACE_MISSING', { namespace }, cause);
}

function unauthenticated({ details }: Status, cause: unknown): HundredfoldError {
  return codedError('TEMPORAL_UNAUTHENTICATED', { details: words(details) }, cause);
}

function permissionDenied({ details }: Status, cause: unknown): HundredfoldError {
  return codedError('TEMPORAL_PERMISSION_DENIED', { details: words(details) }, cause);
}

function words(details: string): string {
  const text = details.trim();
  return text === '' ? '' : ` ("${text.slice(0, 200)}")`;
}
