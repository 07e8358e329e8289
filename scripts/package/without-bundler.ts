/**
 * The copy of @temporalio/worker in the package bundles no workflow code: its bundling module loads webpack and memfs
 * (90 MB with their dependencies, half a second of every start), which only `Worker.create({ workflowsPath })` needs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the rest of @temporalio/worker 1.24.0 imports from it. */
const REPLACEMENT = `'use strict';
// Replaced when hundredfold was packed: the package carries its workflow bundle.
Object.defineProperty(exports, '__esModule', { value: true });
exports.defaultWorkflowInterceptorModules = [require.resolve('../workflow-log-interceptor')];
function refuse() {
  throw new Error('this copy of @temporalio/worker bundles no workflow code: give it a workflowBundle');
}
exports.bundleWorkflowCode = refuse;
exports.WorkflowCodeBundler = class WorkflowCodeBundler {
  constructor() {
    refuse();
  }
};
`;

const TAKEN = /bundler_1\.(\w+)/g;

/** @param modules the folder used as `node_modules` */
export function removeBundler(modules: string): void {
  const lib = join(modules, '@temporalio', 'worker', 'lib');
  for (const user of ['index.js', 'worker.js']) {
    for (const [, name] of readFileSync(join(lib, user), 'utf8').matchAll(TAKEN)) {
      if (name !== undefined && REPLACEMENT.includes(`exports.${name} =`)) continue;
      throw new Error(
        `@temporalio/worker takes ${name ?? ''} from its bundler: see without-bundler.ts`,
      );
    }
  }
  writeFileSync(join(lib, 'workflow', 'bundler.js'), REPLACEMENT);
}
