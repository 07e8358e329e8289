/** Problems of the user's input, so that the user can correct it. */

/** One error refuses the manifest; a warning does not. */
export type Severity = 'error' | 'warning';

/** A fault in a manifest: where, what, what to do. Never thrown; all are collected. */
export interface Problem {
  /** How serious it is. */
  readonly severity: Severity;
  /** A code of the tables of the manifest and of the kinds. */
  readonly code: string;
  /** The manifest, as named by the user. */
  readonly file: string;
  /** First line of the row in its file, from 1 including the header; null for the whole file. */
  readonly line: number | null;
  /** The item's id, when it has one. */
  readonly id: string | null;
  /** The manifest column, if one is concerned. */
  readonly column: string | null;
  /** The offending value, shortened. */
  readonly value: string | null;
  /** What is wrong, in a sentence, in the user's terms. */
  readonly message: string;
  /** What to do about it, in a sentence. */
  readonly remedy: string;
}

/** The words of one code: `F` are the facts that they need, `value` is the offending value, ready for display. */
export interface ProblemWords<F = never> {
  readonly severity: Severity;
  readonly message: (facts: F, value: string) => string;
  readonly remedy: (facts: F) => string;
}

type Say<F extends readonly unknown[]> = string | ((...facts: F) => string);

function createWords(severity: Severity) {
  return <F = object>(
    message: Say<[facts: F, value: string]>,
    remedy: Say<[facts: NoInfer<F>]>,
  ): ProblemWords<F> => ({
    severity,
    message: typeof message === 'string' ? () => message : message,
    remedy: typeof remedy === 'string' ? () => remedy : remedy,
  });
}

/** The words of a problem that refuses its row. */
export const error = createWords('error');
/** The words of a problem that is told, and refuses nothing. */
export const warning = createWords('warning');
