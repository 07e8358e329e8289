/**
 * A small checkout in a temporary folder, with the real set-up scripts and fakes of the programs that they call: npm,
 * python3 and the Temporal CLI. So the test controls the answers of a registry.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** What `npm ci` does here: it creates the files of npm, once the test allows it. */
const NPM = `
import { appendFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
rmSync('node_modules', { recursive: true, force: true });
while (existsSync('hold-npm')) await new Promise((done) => setTimeout(done, 10));
mkdirSync('node_modules/.bin', { recursive: true });
`;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Polls for something in another process; throws after ten seconds. */
export async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = Date.now() + 10_000;
  while (!isSo()) {
    if (Date.now() > giveUpAt) throw new Error(`it did not happen: ${isSo.toString()}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

export class Checkout {
  readonly root = mkdtempSync(join(tmpdir(), 'hundredfold-checkout-'));
  readonly #bin = join(this.root, 'stand-ins');
  readonly #started: ChildProcess[] = [];

  constructor() {
    cpSync(join(ROOT, 'scripts'), join(this.root, 'scripts'), { recursive: true });
    cpSync(join(ROOT, 'src', 'program'), join(this.root, 'src', 'program'), { recursive: true });
    cpSync(join(ROOT, 'bin'), join(this.root, 'bin'), { recursive: true });
    this.write('package.json', JSON.stringify({ name: 'hundredfold', type: 'module' }));
    this.write('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages: { '': {} } }));
    this.write('stand-ins/npm-cli.js', NPM);
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

  /** What a fake recorded; empty if it was never called. */
  read(name: string): string {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), 'utf8') : '';
  }

  /** Keeps npm running until the file is gone. */
  holdNpm(): { release: () => void } {
    const path = this.write('hold-npm', '');
    return {
      release: () => {
        rmSync(path);
      },
    };
  }

  /** A program on PATH, in place of the real one. */
  program(name: string, script: string): void {
    chmodSync(this.write(`stand-ins/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
  }

  without(name: string): void {
    rmSync(join(this.#bin, name));
  }

  environment(): NodeJS.ProcessEnv {
    return {
      PATH: `${this.#bin}:/usr/bin:/bin`,
      HOME: this.root,
      npm_execpath: join(this.#bin, 'npm-cli.js'),
      npm_node_execpath: process.execPath,
    };
  }

  /** Runs a script of the checkout, without the test's own environment. */
  start(script: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [this.path(script), ...args], {
      cwd: this.root,
      env: { ...this.environment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#started.push(child);
    const text = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()));
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        resolve({ code, signal, ...text });
      });
    });
    return { child, ended, text };
  }

  setUp(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return this.start('scripts/setup.js', args, env).ended;
  }

  [Symbol.dispose](): void {
    // A test that failed half way must leave no process behind.
    for (const child of this.#started) child.kill('SIGKILL');
    rmSync(this.root, { recursive: true, force: true });
  }
}
