/**
 * Independent validators of a deposit (bagit, cffconvert, datacite), in a separate Python environment under `.tools/`:
 * downloaded when the test needs them for the first time, in the versions of deposit-validator/requirements.txt.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonEnvironment } from './python-environment.ts';

const ROOT = join(import.meta.dirname, '..');
const FILES = join(import.meta.dirname, 'deposit-validator');
const run = promisify(execFile);

interface DepositFiles {
  /** The unpacked bag. */
  readonly bag: string;
  readonly citation: string;
  readonly datacite: string;
}

type DepositValidator =
  /** Resolves with the errors. */
  | { readonly validate: (files: DepositFiles) => Promise<readonly string[]> }
  /** Why it is missing, in a few words. */
  | { readonly missing: string };

export async function depositValidator(root = ROOT): Promise<DepositValidator> {
  const requirements = join(FILES, 'requirements.txt');
  const environment = await pythonEnvironment('deposit-validator', requirements, root);
  if ('missing' in environment) return environment;
  return {
    validate: async ({ bag, citation, datacite }) => {
      const args = [join(FILES, 'validate.py'), bag, citation, datacite];
      const { stdout } = await run(environment.python, args, { maxBuffer: 2 ** 26 });
      return JSON.parse(stdout) as readonly string[];
    },
  };
}
