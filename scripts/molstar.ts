/**
 * Mol*, the viewer of molecular structures, as it is published on npm: fetched under `.tools/` when a test wants it for
 * the first time. No dependency of the project: 17 MB that one test loads.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const VERSION = '5.11.0';
/** SHA-512 of the tarball, as npm writes integrity. */
const INTEGRITY =
  'sha512-Jv2oHkKoCpzrhqLmGlknepm0pfRsoTDebsGRkvXpbUFb6p+JIAkhLyM3uqV2twC6VR83ZbXtdswOtouPhozpuQ==';
const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** Folder of the viewer, or why there is none, in a few words. */
export type Molstar = { readonly folder: string } | { readonly missing: string };

export async function molstar(root = ROOT): Promise<Molstar> {
  const target = join(root, '.tools', `molstar-${VERSION}`);
  const folder = join(target, 'package', 'build', 'viewer');
  if (existsSync(folder)) return { folder };
  try {
    await install(root, target);
    return { folder };
  } catch (error) {
    return { missing: `Mol* cannot be fetched: ${(error as Error).message.split('\n')[0] ?? ''}` };
  }
}

/** Whole or not at all: two tests may want it at once. */
async function install(root: string, target: string): Promise<void> {
  const temporary = await mkdtemp(join(root, '.tools', 'molstar-'));
  try {
    const pack = ['pack', `molstar@${VERSION}`, '--silent', '--pack-destination', temporary];
    await run('npm', pack, { cwd: temporary });
    const tarball = join(temporary, `molstar-${VERSION}.tgz`);
    const digest = createHash('sha512')
      .update(await readFile(tarball))
      .digest('base64');
    if (`sha512-${digest}` !== INTEGRITY) throw new Error('the tarball is another one');
    await run('tar', ['xzf', tarball, '-C', temporary, 'package/build/viewer']);
    await rename(temporary, target);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
