/**
 * Coded errors: this project never throws a bare string. Codes and texts are in error-codes/. A code is stable and
 * searchable; the message says what happened, the remedy what to do.
 */
import {
  exitOf,
  wordingOf,
  type ErrorCode,
  type ErrorFacts,
  type WordedCode,
} from './error-codes/registry.ts';

export { EXIT } from './exit.ts';

/** The parts of an error with a code. */
export interface ErrorDetails {
  /** Stable, in capitals: `CAMPAIGN_UNKNOWN`. */
  readonly code: ErrorCode;
  /** What happened, in a sentence. */
  readonly message: string;
  /** What the user can do, in a sentence. */
  readonly remedy: string;
  /** Exit code of the command that fails with it, if it differs from that of the code. */
  readonly exitCode?: number;
  /** The underlying error. */
  readonly cause?: unknown;
}

/** An error that the user can fix: shown without a stack trace. */
export class HundredfoldError extends Error {
  /** Stable, in capitals: `CAMPAIGN_UNKNOWN`. */
  readonly code: ErrorCode;
  /** What the user can do, in a sentence. */
  readonly remedy: string;
  /** Exit code of a command that fails with this error. */
  readonly exitCode: number;

  constructor(details: ErrorDetails) {
    super(details.message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'HundredfoldError';
    this.code = details.code;
    this.remedy = details.remedy;
    this.exitCode = details.exitCode ?? exitOf(details.code);
  }
}

/**
 * The error with this code, with the texts of its table.
 * @param cause the underlying error
 */
export function codedError<C extends WordedCode>(
  code: C,
  facts: ErrorFacts<C>,
  cause?: unknown,
): HundredfoldError {
  return new HundredfoldError({ code, ...textsOf(code, facts), cause });
}

/** Message and remedy of a code. */
export function textsOf<C extends WordedCode>(
  code: C,
  facts: ErrorFacts<C>,
): { readonly message: string; readonly remedy: string } {
  const { message, remedy } = wordingOf(code, facts);
  return {
    message: typeof message === 'string' ? message : message(facts),
    remedy: typeof remedy === 'string' ? remedy : remedy(facts),
  };
}
