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
