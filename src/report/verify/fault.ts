/** A fault found in a published tree, and its remedy. */

/** What is compared: `records` against each other, everything else against the records. */
export const CHECKS = ['records', 'files', 'tables', 'summary', 'crate', 'checksums'] as const;
export type Check = (typeof CHECKS)[number];

export interface Fault {
  readonly check: Check;
  /** Key in the tree; a folder if all of it is affected. */
  readonly path: string;
  /** What is wrong, in a sentence that names the path. */
  readonly message: string;
  /** What to do, in a sentence. */
  readonly remedy: string;
}

/** A fault as a check finds it. */
export interface FoundFault extends Fault {
  /** The path does not exist: the crate, which lists the existing files, then differs as well. */
  readonly isMissing?: boolean;
}

export const REMEDIES = {
  file: 'Restore it from a copy. Without one: "hundredfold report" marks the item as failed, "hundredfold retry" computes it again.',
  record:
    'Restore item.json from a copy, or run the "hundredfold run" command of the campaign again.',
  stray: 'Remove it, or move it out of the tree.',
  derived: 'Rebuild it from the items: "hundredfold report".',
  leftover: 'Nothing uses it. "hundredfold report" removes it.',
  campaign: 'Restore the folder .hundredfold from a copy of the tree.',
} as const;
