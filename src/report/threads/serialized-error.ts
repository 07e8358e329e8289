/** An error loses its class on the way from another thread: coded ones go in parts. */
import { HundredfoldError, type ErrorDetails } from '../../domain/errors.ts';
import { StoreError, type StoreCode } from '../../store/store-error.ts';

/** `retryable` is null where it is none of the store. */
export interface SerializedError extends Omit<ErrorDetails, 'cause'> {
  readonly retryable: boolean | null;
}

/** @throws any other than coded errors: a mistake of ours, which ends the thread with its stack */
export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof HundredfoldError)) throw error;
  const { code, message, remedy, exitCode } = error;
  const retryable = error instanceof StoreError ? error.retryable : null;
  return { code, message, remedy, exitCode, retryable };
}

export function errorOf({ retryable, ...details }: SerializedError): HundredfoldError {
  if (retryable === null) return new HundredfoldError(details);
  return new StoreError({ ...details, code: details.code as StoreCode, retryable });
}
