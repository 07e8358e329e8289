/** Errors of a Temporal server that is unavailable: it may come back, so the call can be repeated. */
import { hasStatus } from './grpc-status.ts';

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
