/** Runs a program and waits for its end. */
import { spawn, spawnSync } from 'node:child_process';
import { isAbsolute, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

interface Ended {
  /** Null if a signal ended it. */
  readonly code: number | null;
  /** Its output, if captured. */
  readonly output: string;
}

/**
 * Starts the program with the Node that runs this, not with the first of PATH. SIGTERM is passed on, so that
 * vitest can stop its Temporal server; Ctrl-C reaches it from the terminal.
 * @param program an absolute path, or a name in node_modules/.bin
 */
export function run(
  program: string,
  args: readonly string[],
  output: 'captured' | 'shown',
): Promise<Ended> {
  const path = isAbsolute(program) ? program : join(ROOT, 'node_modules', '.bin', program);
  const child = spawn(path, args, {
    cwd: ROOT,
    stdio: output === 'shown' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const stop = (): void => void child.kill('SIGTERM');
  process.on('SIGTERM', stop);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      process.off('SIGTERM', stop);
      resolve({ code, output: Buffer.concat(chunks).toString('utf8') });
    });
  });
}

/** Runs a program to its end and returns its trimmed output. Throws with both outputs if it fails. */
export function outputOf(program: string, ...args: readonly string[]): string {
  const run = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (run.status === 0) return run.stdout.trim();
  const text = run.error?.message ?? `${run.stdout}\n${run.stderr}`;
  throw new Error(`${program} ${args.join(' ')} failed:\n${text}`);
}

/** If the storage of buildah has an image of this name. */
export function hasImage(image: string): boolean {
  return spawnSync('buildah', ['inspect', '--type', 'image', image]).status === 0;
}
