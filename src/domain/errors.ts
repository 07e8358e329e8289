/**
 * The registry of coded errors: nothing in this project throws a bare string.
 * A code is stable and can be searched for; the message says what happened, the remedy what to do.
 */
export const EXIT = {
  ok: 0,
  usage: 1,
  refused: 2,
  incomplete: 3,
  cancelled: 4,
  interrupted: 130,
} as const;

/** What an error with a code is made of. */
export interface ErrorDetails {
  /** Stable, in capitals: `CAMPAIGN_UNKNOWN`. */
  readonly code: string;
  /** What happened, in a sentence. */
  readonly message: string;
  /** What the user can do, in a sentence. */
  readonly remedy: string;
  /** Exit code of the command that meets it. */
  readonly exitCode?: number;
  /** What led to it. */
  readonly cause?: unknown;
}

/** A mistake or a mishap that the user can do something about: shown without a stack trace. */
export class HundredfoldError extends Error {
  /** Stable, in capitals: `CAMPAIGN_UNKNOWN`. */
  readonly code: string;
  /** What the user can do, in a sentence. */
  readonly remedy: string;
  /** Exit code of the command line where it meets this error. */
  readonly exitCode: number;

  constructor(details: ErrorDetails) {
    super(details.message, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'HundredfoldError';
    this.code = details.code;
    this.remedy = details.remedy;
    this.exitCode = details.exitCode ?? EXIT.usage;
  }
}
