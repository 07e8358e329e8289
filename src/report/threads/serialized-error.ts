/** An error loses its class between threads: coded errors are sent as plain fields. */
import { HundredfoldError, type ErrorDetails } from '../../domain/errors.ts';
import { StoreError } from '../../store/store-error.ts';
import type { StoreCode } from '../../domain/error-codes/registry.ts';

/** `retryable` is null if it is not a store error. */
export interface SerializedError extends Omit<ErrorDetails, 'cause'> {
  readonly retryable: boolean | null;
}

/** @throws errors without a code: bugs, which end the thread with their stack */
export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof HundredfoldError)) throw error;
  const { code, message, remedy, exitCode } = error;
  const retryable = error instanceof StoreError ? error.retryable : null;
  return { code, message, remedy, exitCode, retryable };
}

export function deserialized({ retryable, ...details }: SerializedError): HundredfoldError {
  if (retryable === null) return new HundredfoldError(details);
  return new StoreError({ ...details, code: details.code as StoreCode, retryable });
}
