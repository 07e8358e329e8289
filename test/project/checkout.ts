/** A small checkout in a temporary folder, with a fake of the Temporal CLI on PATH. */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT, Typed } from '../cli/command.ts';

export class Checkout {
  readonly root = mkdtempSync(join(tmpdir(), 'hundredfold-checkout-'));
  readonly #bin = join(this.root, 'stand-ins');
  readonly #started: ChildProcess[] = [];

  constructor() {
    for (const part of ['bin', 'src/program.ts', 'src/cli/worker-process.ts'])
      cpSync(join(ROOT, part), join(this.root, part), { recursive: true });
    this.write('package.json', JSON.stringify({ name: 'hundredfold', type: 'module' }));
    this.program('temporal', 'echo "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"');
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, content: string): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** A program on PATH, in place of the real one. */
  program(name: string, script: string): void {
    chmodSync(this.write(`stand-ins/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
  }

  /** Runs a script of the checkout, without the test's own environment. */
  start(script: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Typed {
    const child = spawn(process.execPath, [this.path(script), ...args], {
      cwd: this.root,
      env: { PATH: `${this.#bin}:/usr/bin:/bin`, HOME: this.root, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#started.push(child);
    return new Typed(child, args.join(' '));
  }

  [Symbol.dispose](): void {
    // A test that failed half way must leave no process behind.
    for (const child of this.#started) child.kill('SIGKILL');
    rmSync(this.root, { recursive: true, force: true });
  }
}
