/** A configuration that cannot be used: the command ends with exit code 2, and nothing was submitted. */
import { EXIT, HundredfoldError } from '../domain/errors.ts';

export function refused(
  code: string,
  message: string,
  remedy: string,
  cause?: unknown,
): HundredfoldError {
  return new HundredfoldError({ code, message, remedy, exitCode: EXIT.refused, cause });
}
