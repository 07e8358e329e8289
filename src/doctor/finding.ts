/** What a check of `doctor` has found. */
import type { ErrorCode, ErrorFacts, WordedCode } from '../domain/error-codes/registry.ts';
import { HundredfoldError, textsOf } from '../domain/errors.ts';

/** One line, and its remedy. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** The code of the error; only if not ok, or a warning. */
  readonly code?: ErrorCode;
  /** It works, but the user should know. */
  readonly warning?: true;
  readonly found: string;
  /** What to do; only if not ok, or a warning. */
  readonly remedy?: string;
}

/** A problem that the check finds itself, with the texts of its table. */
export function codedProblem<C extends WordedCode>(
  check: string,
  code: C,
  facts: ErrorFacts<C>,
): Finding {
  const { message, remedy } = textsOf(code, facts);
  return { check, ok: false, code, found: message, remedy };
}

/** @throws any error without a code: a bug */
export function problem(check: string, error: unknown): Finding {
  if (!(error instanceof HundredfoldError)) throw error;
  const { code, message, remedy } = error;
  return { check, ok: false, code, found: `${message} [${code}]`, remedy };
}
