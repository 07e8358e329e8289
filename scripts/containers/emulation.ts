/** Runs programs for arm64 on another machine: qemu, which Linux starts for them (binfmt_misc). */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const REGISTERED = '/proc/sys/fs/binfmt_misc';
const FOR_ARM64 = `${REGISTERED}/qemu-aarch64`;

function run(program: string, ...args: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? null : `${program} ${args.join(' ')}: ${(error?.message ?? stderr).trim()}`;
}

/**
 * Switches the emulation on until the next start of the machine. It needs root, and qemu-user-static and binfmt-support.
 *
 * @returns null when programs for arm64 run now; otherwise why they cannot
 */
export function emulateArm64(): string | null {
  if (process.arch === 'arm64') return 'this machine is arm64: the other tests build for it';
  if (isOn()) return null;
  if (!existsSync(`${REGISTERED}/status`)) {
    const problem = run('mount', '-t', 'binfmt_misc', 'binfmt_misc', REGISTERED);
    if (problem !== null) return problem;
  }
  const problem = run('update-binfmts', '--enable', 'qemu-aarch64');
  if (problem !== null) return problem;
  return isOn() ? null : `${FOR_ARM64} is not enabled with the flag F`;
}

/** F: the emulator is opened once, outside of the container, which has none. */
function isOn(): boolean {
  if (!existsSync(FOR_ARM64)) return false;
  const text = readFileSync(FOR_ARM64, 'utf8');
  return text.startsWith('enabled') && /^flags: .*F/m.test(text);
}
