/**
 * The independent validator of RO-Crates, roc-validator, in a separate Python environment under `.tools/`: downloaded
 * when the test needs it for the first time, in the versions of crate-validator/requirements.txt.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonEnvironment } from './python-environment.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = join(import.meta.dirname, 'crate-validator');
const REQUIREMENTS = join(FILES, 'requirements.txt');
const run = promisify(execFile);

interface CrateVerdict {
  readonly issues: readonly { readonly severity: string; readonly message: string }[];
  /** Addresses that the validator tried to request. */
  readonly asked: readonly string[];
}

/** The validator's names for them. */
export type CrateProfile = 'ro-crate-1.2' | 'process-run-crate';

type CrateValidator =
  | { readonly validate: (folder: string, profile: CrateProfile) => Promise<CrateVerdict> }
  /** Why it is missing, in a few words. */
  | { readonly missing: string };

export async function crateValidator(root = ROOT): Promise<CrateValidator> {
  const environment = await pythonEnvironment('roc-validator', REQUIREMENTS, root);
  if ('missing' in environment) return environment;
  const { python } = environment;
  return {
    validate: async (crate, profile) => {
      const context = join(FILES, 'ro-crate-1.2-context.json.gz');
      const args = [join(FILES, 'validate.py'), context, crate, profile];
      const { stdout } = await run(python, args, { maxBuffer: 2 ** 26 });
      return JSON.parse(stdout) as CrateVerdict;
    },
  };
}
