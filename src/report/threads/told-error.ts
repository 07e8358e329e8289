/** An error loses its class on the way from another thread: coded ones go in parts. */
import { HundredfoldError, type ErrorDetails } from '../../domain/errors.ts';
import { StoreError, type StoreCode } from '../../store/store-error.ts';

/** `retryable` is null where it is none of the store. */
export interface ToldError extends Omit<ErrorDetails, 'cause'> {
  readonly retryable: boolean | null;
}

/** @throws any other than coded errors: a mistake of ours, which ends the thread with its stack */
export function toldError(error: unknown): ToldError {
  if (!(error instanceof HundredfoldError)) throw error;
  const { code, message, remedy, exitCode } = error;
  const retryable = error instanceof StoreError ? error.retryable : null;
  return { code, message, remedy, exitCode, retryable };
}

export function errorOf({ retryable, ...told }: ToldError): HundredfoldError {
  if (retryable === null) return new HundredfoldError(told);
  return new StoreError({ ...told, code: told.code as StoreCode, retryable });
}
