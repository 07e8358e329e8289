/** Errors of a Temporal server that is unavailable: it may come back, so the call can be repeated. */
import { isGrpcServiceError } from '@temporalio/client';

/**
 * gRPC status codes of a server that is unavailable or too busy: CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED,
 * INTERNAL, UNAVAILABLE.
 */
const AWAY = [1, 4, 8, 13, 14];

export function isTemporalAway(error: unknown): boolean {
  const status = error instanceof Error ? (error.cause ?? error) : error;
  return isGrpcServiceError(status) && AWAY.includes(status.code);
}
