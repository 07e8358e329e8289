/**
 * The independent validator of RO-Crates, roc-validator, in a Python environment of its own under `.tools/`: fetched
 * when the test wants it for the first time, in the versions of crate-validator/requirements.txt.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const FILES = join(import.meta.dirname, 'crate-validator');
const REQUIREMENTS = join(FILES, 'requirements.txt');
const run = promisify(execFile);

export interface CrateVerdict {
  readonly issues: readonly { readonly severity: string; readonly message: string }[];
  /** Addresses that the validator wanted to ask. */
  readonly asked: readonly string[];
}

export type CrateValidator =
  | { readonly validate: (folder: string) => Promise<CrateVerdict> }
  /** Why there is none, in a few words. */
  | { readonly missing: string };

export async function crateValidator(root = ROOT): Promise<CrateValidator> {
  const [, version = ''] = /^roc-validator==(.+)$/m.exec(readFileSync(REQUIREMENTS, 'utf8')) ?? [];
  const folder = join(root, '.tools', `roc-validator-${version}`);
  const python = join(folder, 'bin', 'python');
  if (!existsSync(python)) {
    if (spawnSync('python3', ['--version']).status !== 0) return { missing: 'there is no Python' };
    try {
      await install(folder);
    } catch (error) {
      return { missing: `it cannot be fetched: ${(error as Error).message.split('\n')[0] ?? ''}` };
    }
  }
  return {
    validate: async (crate) => {
      const context = join(FILES, 'ro-crate-1.2-context.json.gz');
      const args = [join(FILES, 'validate.py'), context, crate];
      const { stdout } = await run(python, args, { maxBuffer: 2 ** 26 });
      return JSON.parse(stdout) as CrateVerdict;
    },
  };
}

/** Whole or not at all: two tests may want it at once. */
async function install(folder: string): Promise<void> {
  const temporary = `${folder}.${process.pid}`;
  try {
    await run('python3', ['-m', 'venv', temporary]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--requirement', REQUIREMENTS];
    await run(join(temporary, 'bin', 'python'), pip);
    await rename(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
