/** Errors of the local services that a user can fix, and what they say. */

export class LocalServicesError extends Error {
  /** Stable, in capitals: `LOCAL_SERVICES_FAILED`. */
  readonly code: string;
  /** What to do, in a sentence or two. */
  readonly remedy: string;
  /** The failing program's own output. */
  readonly detail: string;

  constructor(
    code: string,
    message: string,
    remedy: string,
    { detail = '', cause }: { readonly detail?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'LocalServicesError';
    this.code = code;
    this.remedy = remedy;
    this.detail = detail;
  }
}

/** An error of the system (errno(3)), such as `ENOENT`. */
export function hasErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

export function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const STACK_LINE = /^\s+at \S/;

/** The end of a program's output, where it says what is wrong. */
export function takeLastLines(text: string, count = 12): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !STACK_LINE.test(line));
  return lines.slice(-count).join('\n');
}
