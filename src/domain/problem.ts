/** Problems of what the user gave us, so that they can correct it. */

/** One error refuses the manifest; a warning does not. */
export type Severity = 'error' | 'warning';

/** Something wrong in a manifest: where, what, what to do. Never thrown; all are collected. */
export interface Problem {
  /** How serious it is. */
  readonly severity: Severity;
  /** A code of the registry in `errors.ts`. */
  readonly code: string;
  /** The manifest, as the user named it. */
  readonly file: string;
  /** Where the row begins in its file, from 1 with the header; null when the whole file is meant. */
  readonly line: number | null;
  /** The item's id, when it has one. */
  readonly id: string | null;
  /** The manifest column, when one is meant. */
  readonly column: string | null;
  /** The offending value, shortened. */
  readonly value: string | null;
  /** What is wrong, in a sentence, in the user's words. */
  readonly message: string;
  /** What to do about it, in a sentence. */
  readonly remedy: string;
}
