/**
 * The Python programs that the exports are for, in a separate environment under `.tools/`: downloaded when a test needs
 * them for the first time, in the versions of export-loaders/requirements.txt.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonEnvironment } from './python-environment.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = join(import.meta.dirname, 'export-loaders');
const run = promisify(execFile);

type ExportLoaders =
  | {
      readonly python: string;
      /** Calls a function of export-loaders/load.py. */
      readonly load: (what: string, ...args: readonly string[]) => Promise<unknown>;
    }
  /** Why they are missing, in a few words. */
  | { readonly missing: string };

export async function exportLoaders(root = ROOT): Promise<ExportLoaders> {
  const requirements = join(FILES, 'requirements.txt');
  const environment = await pythonEnvironment('export-loaders', requirements, root);
  if ('missing' in environment) return environment;
  const { python } = environment;
  return {
    python,
    load: async (what, ...args) => {
      const script = join(FILES, 'load.py');
      const { stdout } = await run(python, [script, what, ...args], { maxBuffer: 2 ** 26 });
      return JSON.parse(stdout) as unknown;
    },
  };
}
