/**
 * The code that users' workflows import, in a separate folder, from which Node and bundlers do not find the packages in
 * `lib/node_modules`: workflow code uses @temporalio/workflow from the user's project. With two copies in one bundle,
 * the cancellation scopes of one are unknown to the other, and workflows fail.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** In the package. Not below `lib`. */
export const WORKFLOW_CODE = 'dist/workflow-code';

/** What workflow code imports from outside; the user has them beside this package. */
export const PEERS = ['@temporalio/common', '@temporalio/workflow'];

/** Entries of the package, and all that they may import: see the layers in scripts/layers.js. */
export const ENTRIES = ['library/workflows', 'library/budget'];
const FILES = [...ENTRIES, 'library/child-campaign'];
const FOLDERS = ['workflows', 'budget', 'domain'];
const KINDS = ['.js', '.d.ts'];

/** @param source a file of `src`, without its extension */
export function isWorkflowCode(source: string): boolean {
  return ENTRIES.includes(source);
}

/** @param lib folder with the compiled code */
export function copyWorkflowCode(lib: string, target: string): void {
  for (const name of FOLDERS) cpSync(join(lib, name), join(target, name), { recursive: true });
  for (const name of FILES.flatMap((file) => KINDS.map((kind) => `${file}${kind}`))) {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    cpSync(join(lib, name), join(target, name));
  }
}
