/** The gRPC status of a failed call to a Temporal server. */
import { isGrpcServiceError } from '@temporalio/client';

/** grpc/grpc: doc/statuscodes.md */
export const STATUS = {
  cancelled: 1,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export interface Status {
  readonly code: number;
  readonly details: string;
}

/**
 * The status of a failed call; null if there is none. The client's errors wrap it once; what wraps those is another
 * failure, in words of its own.
 */
export function statusOfCall(error: unknown): Status | null {
  const at = error instanceof Error ? (error.cause ?? error) : error;
  return isGrpcServiceError(at) ? { code: at.code, details: at.details } : null;
}

/** Whether a call failed with one of these. */
export function hasStatus(error: unknown, ...wanted: readonly (keyof typeof STATUS)[]): boolean {
  const status = statusOfCall(error);
  return status !== null && wanted.some((name) => STATUS[name] === status.code);
}

/** The first status among an error and its causes, however often it is wrapped; null if there is none. */
export function statusOf(error: unknown): Status | null {
  for (let at = error; at instanceof Error; at = at.cause)
    if (isGrpcServiceError(at)) return { code: at.code, details: at.details };
  return null;
}

/** Of a server that is unavailable or too busy. */
const AWAY = [
  'cancelled',
  'deadlineExceeded',
  'resourceExhausted',
  'internal',
  'unavailable',
] as const;

export function isTemporalAway(error: unknown): boolean {
  return hasStatus(error, ...AWAY);
}
