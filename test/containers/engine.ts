/**
 * buildah and podman, for tests that `npm run test:containers` starts after it has built base images and the build
 * context.
 */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Why these tests cannot run; null if they can. */
export const WHY_NOT =
  process.env['HUNDREDFOLD_CONTAINERS'] === undefined ? 'npm run test:containers runs them' : null;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Health checks need systemd, which a container engine inside a container lacks: podman prints this each time. */
const ABOUT_HEALTH = /^time=".*healthchecks?: dial unix.*\n?/gm;

export async function podman(...args: readonly string[]): Promise<Ended> {
  return started('podman', args);
}

/** Runs a program to its end, and returns its output. */
export async function started(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ended> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, stdout, stderr: stderr.replace(ABOUT_HEALTH, '') });
    });
  });
}

/**
 * Builds a target of the Dockerfile with the base images of this machine.
 *
 * @param platform arguments that choose another platform, and its base images
 */
export function build(target: string, tag: string, platform: readonly string[] = []): void {
  const run = spawnSync(
    'buildah',
    // prettier-ignore
    [
      'bud', '--isolation', 'chroot', '--network', 'host', '--pull-never', '--format', 'docker', '--layers',
      '--volume', '/etc/apt/apt.conf.d:/etc/apt/apt.conf.d:ro', '--target', target, '--tag', tag, ...platform, ROOT,
    ],
    { encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  if (run.status !== 0) throw new Error(`${run.stdout.slice(-2_000)}\n${run.stderr.slice(-4_000)}`);
}
