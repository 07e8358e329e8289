/** An unusable configuration: the command ends with exit code 2, and nothing was submitted. */
import type { ErrorCode } from '../domain/error-codes/registry.ts';
import { HundredfoldError } from '../domain/errors.ts';

export function refused(
  code: ErrorCode,
  message: string,
  remedy: string,
  cause?: unknown,
): HundredfoldError {
  return new HundredfoldError({ code, message, remedy, cause });
}
