/** An aborted `AbortSignal`, as an error with a code. */
import { HundredfoldError } from '../domain/errors.ts';

/** @throws HundredfoldError `INTERRUPTED`, with the signal's reason as its cause */
export function throwIfInterrupted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw interrupted(signal.reason);
}

export function interrupted(cause: unknown): HundredfoldError {
  return new HundredfoldError({
    code: 'INTERRUPTED',
    message: 'the signal was aborted before the campaign ended',
    remedy: 'Start the same campaign again to resume it: nothing is submitted twice.',
    cause,
  });
}
