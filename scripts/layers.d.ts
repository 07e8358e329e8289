/** Types of `layers.js`, which the linter's configuration reads too. */

export interface Import {
  /** Path of the importing file in the project: `src/budget/window.ts`. */
  readonly from: string;
  /** Path of the imported file in the project, or a package's name. */
  readonly target: string;
}

/** Part of `src/` → the other parts that it may import. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>>;
/** Part → the packages it may use, if not all are allowed. */
export const MAY_USE: Readonly<Record<string, readonly string[]>>;
/** Parts that may import `@temporalio/*`. */
export const KNOW_TEMPORAL: readonly string[];
/** The part of `src/` that a file belongs to; null outside `src/`. */
export function partOf(path: string): string | null;
/** Why the import is not allowed; null if it is. */
export function importProblem(imported: Import): string | null;
