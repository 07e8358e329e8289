/** Types of `layers.js`, which the linter's configuration reads too. */

export interface Import {
  /** Path of the importing file in the project: `src/budget/window.ts`. */
  readonly from: string;
  /** Path of the imported file in the project, or a package's name. */
  readonly target: string;
}

/** Why the import is not allowed; null if it is. */
export function importProblem(imported: Import): string | null;
