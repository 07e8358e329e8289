/**
 * The Python of independent clients: `requests` and the schema fuzzer schemathesis, pinned, in a folder under
 * `.tools/`. Installed at the first use; nothing else of the project needs it.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');

type ClientPackages =
  /** For PYTHONPATH. */
  | { readonly type: 'ready'; readonly folder: string }
  /** Why they are missing, as a message. */
  | { readonly type: 'absent'; readonly reason: string };

/**
 * The pinned packages, installed if they are missing (some 10 s, 60 MB). In a separate folder rather than a virtual
 * environment: it works without python3-venv, and can be renamed when it is complete.
 */
export async function clientPackages(): Promise<ClientPackages> {
  const digest = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex');
  const folder = join(ROOT, '.tools', `clients-${digest.slice(0, 12)}`);
  if (existsSync(folder)) return { type: 'ready', folder };
  const draft = `${folder}.${String(process.pid)}`;
  const options = ['--quiet', '--no-deps', '--only-binary=:all:', '--target', draft];
  try {
    await promisify(execFile)('python3', ['-m', 'pip', 'install', ...options, '-r', REQUIREMENTS]);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // The last output of a program that failed; Node's message for one that is missing.
    const { stderr = '', message } = error as { stderr?: string; message: string };
    return { type: 'absent', reason: stderr.trim().split('\n').at(-1) || message };
  }
  // Another process may have been faster; its folder is equivalent.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  return { type: 'ready', folder };
}
