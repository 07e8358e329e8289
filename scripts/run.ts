/** Runs a program and waits for its end. */
import { spawn } from 'node:child_process';
import { isAbsolute, join } from 'node:path';

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
  root: string,
  program: string,
  args: readonly string[],
  output: 'captured' | 'shown',
): Promise<Ended> {
  const path = isAbsolute(program) ? program : join(root, 'node_modules', '.bin', program);
  const child = spawn(path, args, {
    cwd: root,
    stdio: [
      'ignore',
      output === 'shown' ? 'inherit' : 'pipe',
      output === 'shown' ? 'inherit' : 'pipe',
    ],
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
