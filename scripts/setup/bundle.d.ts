/** Types of `bundle.js`, which stays plain JavaScript because the set-up runs on Node 20. */

/** What is bundled ahead of the first run. */
export interface Bundle {
  readonly name: string;
}
export const BUNDLES: readonly Bundle[];

/** Whether it was built from the current files. */
export function bundleIsCurrent(root: string, bundle: Bundle): boolean;

/** Throws a SetupProblem. */
export function buildBundle(root: string, bundle: Bundle): void;
