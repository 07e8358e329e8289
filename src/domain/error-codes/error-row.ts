import type { ExitName } from '../exit.ts';

/** Codes that are explained together; a row of a table in the documentation (`node scripts/error-tables.ts`). */
export interface ErrorRow {
  /** Stable: scripts and users search for them. */
  readonly codes: readonly string[];
  /** Exit of the command that fails with such an error. */
  readonly exit: ExitName;
  /** What to do, or what is wrong if that implies it; Markdown, for the documentation. */
  readonly advice: string;
}
