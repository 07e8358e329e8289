/** Calls refused by a Temporal server, as coded errors: a mistake in the configuration must not show a stack trace. */
import { NamespaceNotFoundError } from '@temporalio/common';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import { STATUS, statusOf, type Status } from './grpc-status.ts';

/** The operator service may be restricted: Temporal Cloud and gateways close it. */
export function isClosed(error: unknown): boolean {
  const { permissionDenied, unimplemented, unauthenticated } = STATUS;
  const code = statusOf(error)?.code;
  return [permissionDenied, unimplemented, unauthenticated].some((one) => one === code);
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
  return codedError(
    'TEMPORAL_PERMISSION_DENIED',
    { case: 'this call', details: words(details) },
    cause,
  );
}

function words(details: string): string {
  const text = details.trim();
  return text === '' ? '' : ` ("${text.slice(0, 200)}")`;
}
