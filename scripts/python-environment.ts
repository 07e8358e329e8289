/**
 * Programs in Python that tests compare with, each in an environment of its own under `.tools/`: created when a test needs
 * it for the first time, in the versions of its requirements.txt.
 */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);
/** Why it is missing, in a few words. */
interface Missing {
  readonly missing: string;
}

/** Path of its interpreter. */
type PythonEnvironment = { readonly python: string } | Missing;

/** @param name of its folder, to which the digest of the requirements is added */
export async function pythonEnvironment(
  name: string,
  requirements: string,
): Promise<PythonEnvironment> {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 8);
  const folder = join(ROOT, '.tools', `${name}-${digest}`);
  const python = join(folder, 'bin', 'python');
  if (existsSync(python)) return { python };
  if (spawnSync('python3', ['--version']).status !== 0) return { missing: 'there is no Python' };
  try {
    await install(folder, requirements);
    return { python };
  } catch (error) {
    return { missing: `it cannot be fetched: ${(error as Error).message.split('\n')[0] ?? ''}` };
  }
}

/** Atomically: two tests may need it at once. */
async function install(folder: string, requirements: string): Promise<void> {
  const temporary = `${folder}.${process.pid}`;
  try {
    await run('python3', ['-m', 'venv', temporary]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--only-binary=:all:'];
    await run(join(temporary, 'bin', 'python'), [...pip, '--requirement', requirements]);
    await rename(temporary, folder);
  } catch (error) {
    // Another test was faster.
    if (!existsSync(join(folder, 'bin', 'python'))) throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

interface CrateVerdict {
  readonly issues: readonly { readonly severity: string; readonly message: string }[];
  /** Addresses that the validator tried to request. */
  readonly asked: readonly string[];
}

/** The validator's names for them. */
export type CrateProfile = 'ro-crate-1.2' | 'process-run-crate';

/** roc-validator, the independent validator of RO-Crates. */
export async function crateValidator(): Promise<
  { readonly validate: (folder: string, profile: CrateProfile) => Promise<CrateVerdict> } | Missing
> {
  const files = join(import.meta.dirname, 'crate-validator');
  const environment = await pythonEnvironment('roc-validator', join(files, 'requirements.txt'));
  if ('missing' in environment) return environment;
  return {
    validate: async (crate, profile) => {
      const context = join(files, 'ro-crate-1.2-context.json.gz');
      const args = [join(files, 'validate.py'), context, crate, profile];
      return (await printed(environment.python, args)) as CrateVerdict;
    },
  };
}

interface ExportLoaders {
  readonly python: string;
  /** Calls a function of export-loaders/load.py. */
  readonly load: (what: string, ...args: readonly string[]) => Promise<unknown>;
}

/** The programs that the exports are for. */
export async function exportLoaders(): Promise<ExportLoaders | Missing> {
  const files = join(import.meta.dirname, 'export-loaders');
  const environment = await pythonEnvironment('export-loaders', join(files, 'requirements.txt'));
  if ('missing' in environment) return environment;
  const { python } = environment;
  return { python, load: (...args) => printed(python, [join(files, 'load.py'), ...args]) };
}

/** What reads a tree beside us: MultiQC and pandas. */
export async function tableReaders(): Promise<PythonEnvironment> {
  const files = join(import.meta.dirname, 'table-readers');
  return pythonEnvironment('table-readers', join(files, 'requirements.txt'));
}

/** Snakemake, which runs the Snakefile of the examples. */
export async function snakemake(): Promise<PythonEnvironment> {
  const files = join(import.meta.dirname, 'pipeline-runners');
  return pythonEnvironment('snakemake', join(files, 'requirements.txt'));
}

async function printed(python: string, args: readonly string[]): Promise<unknown> {
  const { stdout } = await run(python, args, { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as unknown;
}
