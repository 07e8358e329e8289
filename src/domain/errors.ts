/**
 * Coded errors: nothing in this project throws a bare string. The codes are in error-codes/registry.ts.
 * A code is stable and can be searched for; the message says what happened, the remedy what to do.
 */
import { exitOf, type ErrorCode } from './error-codes/registry.ts';

export { EXIT } from './exit.ts';

/** What an error with a code is made of. */
export interface ErrorDetails {
  /** Stable, in capitals: `CAMPAIGN_UNKNOWN`. */
  readonly code: ErrorCode;
  /** What happened, in a sentence. */
  readonly message: string;
  /** What the user can do, in a sentence. */
  readonly remedy: string;
  /** Exit code of the command that meets it, where it is not that of the code. */
  readonly exitCode?: number;
  /** What led to it. */
  readonly cause?: unknown;
}

/** A mistake or a mishap that the user can do something about: shown without a stack trace. */
export class HundredfoldError extends Error {
  /** Stable, in capitals: `CAMPAIGN_UNKNOWN`. */
  readonly code: ErrorCode;
  /** What the user can do, in a sentence. */
  readonly remedy: string;
  /** Exit code of the command line where it meets this error. */
  readonly exitCode: number;

  constructor(details: ErrorDetails) {
    super(details.message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'HundredfoldError';
    this.code = details.code;
    this.remedy = details.remedy;
    this.exitCode = details.exitCode ?? exitOf(details.code);
  }
}
