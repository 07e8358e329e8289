/**
 * The package as a user has it: packed by npm, installed read-only in an empty home, run by a user who does not own it.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { ROOT, Typed, type Ended } from '../cli/command.ts';

/** An arbitrary user; needed if the tests run as root, whom file modes do not restrict. */
const STRANGER = 54_322;
const isRoot = process.getuid?.() === 0;

function must(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string {
  const run = spawnSync(program, args, { cwd: ROOT, env, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (run.status === 0) return run.stdout;
  throw new Error(`${program} ${args.join(' ')}\n${run.stdout}\n${run.stderr}`);
}

export class Installed {
  readonly #folder = mkdtempSync(join(tmpdir(), 'hundredfold-package-'));
  readonly home = join(this.#folder, 'home');
  readonly tarball: string;
  readonly #prefix = join(this.#folder, 'prefix');
  readonly #children: ChildProcess[] = [];

  /** `HUNDREDFOLD_TARBALL` names an existing one. */
  constructor() {
    chmodSync(this.#folder, 0o755);
    const packed = process.env['HUNDREDFOLD_TARBALL'];
    const script = join(ROOT, 'scripts', 'package.ts');
    this.tarball =
      packed ?? must(process.execPath, [script, '--out', this.#folder]).trim().split('\n').at(-1)!;
    this.#own(this.home);
    const env = { PATH: process.env['PATH'], HOME: this.home };
    // Not even a registry is needed: the tarball contains everything.
    must('npm', ['install', '--global', '--offline', '--prefix', this.#prefix, this.tarball], env);
    rmSync(join(this.home, '.npm'), { recursive: true, force: true });
    must('chmod', ['-R', 'a-w,a+rX', this.#prefix]);
  }

  get program(): string {
    return join(this.#prefix, 'lib', 'node_modules', 'hundredfold');
  }

  /** A folder of the user. */
  folder(name: string): string {
    return this.#own(join(this.home, name));
  }

  #own(path: string): string {
    mkdirSync(path, { recursive: true });
    if (isRoot) chownSync(path, STRANGER, STRANGER);
    return path;
  }

  start(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    return this.#spawn(join(this.#prefix, 'bin', 'hundredfold'), args, cwd, env);
  }

  /** Only the named variables of the tests' environment are passed on. */
  #spawn(program: string, args: readonly string[], cwd: string, more: NodeJS.ProcessEnv) {
    const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
    const child = spawn(program, args, {
      cwd,
      env: { PATH, HOME: this.home, ...more },
      ...(isRoot && { uid: STRANGER, gid: STRANGER }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.push(child);
    return new Typed(child, args.join(' '));
  }

  /** Runs a program that imports the package, as installed beside it. */
  async runProgram(cwd: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    const modules = this.#own(join(cwd, 'node_modules'));
    const link = join(modules, 'hundredfold');
    if (!existsSync(link)) symlinkSync(this.program, link);
    const copy = join(cwd, basename(program));
    copyFileSync(program, copy);
    // An ES module, as the package is.
    writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
    return this.#spawn(process.execPath, [copy, ...args], cwd, env).ended;
  }

  async run(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return this.start(cwd, args, env).ended;
  }

  /** Every file of the package with size and time, to detect writes. */
  contents(): readonly string[] {
    return readdirSync(this.program, { encoding: 'utf8', recursive: true }).map((name) => {
      const { size, mtimeMs, mode } = statSync(join(this.program, name));
      return `${name} ${size} ${mtimeMs} ${mode}`;
    });
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    must('chmod', ['-R', 'u+w', this.#folder]);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
