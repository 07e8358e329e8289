/**
 * A separate Python environment under `.tools/`, for a check that needs Python: created when a test needs it for the
 * first time, in the versions of a requirements file.
 */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Path of its interpreter, or why it is missing, in a few words. */
type PythonEnvironment = { readonly python: string } | { readonly missing: string };

/** @param name of its folder, to which the digest of the requirements is added */
export async function pythonEnvironment(
  name: string,
  requirements: string,
  root: string,
): Promise<PythonEnvironment> {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 8);
  const folder = join(root, '.tools', `${name}-${digest}`);
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
