/** A finding of `doctor`: one line, and its remedy. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** The code of the error; only if not ok. */
  readonly code?: string;
  /** It works, but the user should know. */
  readonly warning?: true;
  readonly found: string;
  /** What to do; only if not ok, or a warning. */
  readonly remedy?: string;
}
