/** An aborted `AbortSignal`, as an error with a code. */
import { codedError, type HundredfoldError } from '../domain/errors.ts';

/** @throws HundredfoldError `INTERRUPTED`, with the signal's reason as its cause */
export function throwIfInterrupted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw interrupted(signal.reason);
}

export function interrupted(cause: unknown): HundredfoldError {
  return codedError('INTERRUPTED', {}, cause);
}
