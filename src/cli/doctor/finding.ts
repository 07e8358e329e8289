/** What `doctor` has found: one line, and what to do about it. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** Of the error that it is; only when it is not ok. */
  readonly code?: string;
  /** It works, but the user should know. */
  readonly warning?: true;
  readonly found: string;
  /** What to do; only when it is not ok, or a warning. */
  readonly remedy?: string;
}
