/**
 * The command as a user starts it: `bin/hundredfold.js` in its own process, in an empty folder, with an environment in
 * which nothing is set. A desk cleans up after itself: no process that was started at it, and no server or background
 * process left by these, outlives the test.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { Window } from '../../src/budget/policy.ts';
import { HundredfoldError } from '../../src/domain/errors.ts';
import { Journal, type JournalEntry } from '../../packages/local-services/src/journal.ts';
import { isAlive } from '../../src/temporal/machine.ts';
import { CAMPAIGN_SUMMARY, PREPARED_CAMPAIGN } from '../../src/store/layout.ts';
import * as promises from '../promises.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
export const BIN = join(ROOT, 'bin', 'hundredfold.js');

/** What can be set when a command is run. */
export interface Typing {
  readonly env?: NodeJS.ProcessEnv;
  /** Folder to run it in, below the desk's; default: the desk's own. */
  readonly cwd?: string;
  /** User to run it as; only root can choose. */
  readonly uid?: number;
  /** A program to start in place of the command line. */
  readonly program?: string;
  /** A program with arguments that starts the command, e.g. `unshare --mount`. */
  readonly wrapper?: readonly string[];
  /** Run on a terminal: all its output appears in `stdout`; keys are sent with `press`. */
  readonly terminal?: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that was started. */
export class Typed {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly words: string;
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess, words: string) {
    this.child = child;
    this.words = words;
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ended = new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        const { stdout, stderr } = this;
        resolve({ code, signal, stdout, stderr });
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? -1;
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Types into the terminal. */
  press(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** Waits for the end, and for this exit code; shows all output if the code differs. */
  async endsWith(code: number): Promise<Ended> {
    const ended = await this.ended;
    expect(ended.code ?? ended.signal, this.story()).toBe(code);
    return ended;
  }

  /** Waits until the condition holds; the command must not end before. */
  async until(isSo: () => boolean, what: string): Promise<void> {
    // Only a hang lasts this long: a busy machine must not fail a test that is only slow.
    const giveUpAt = Date.now() + 120_000;
    while (!isSo()) {
      if (!this.running && !isSo()) throw new Error(`it ended before ${what}. ${this.story()}`);
      if (Date.now() > giveUpAt) throw new Error(`waited in vain for ${what}. ${this.story()}`);
      await delay(50);
    }
  }

  /** Waits until it has printed this on stderr (on a terminal: anywhere). */
  async says(words: string): Promise<void> {
    await this.until(() => `${this.stdout}${this.stderr}`.includes(words), `it said "${words}"`);
  }

  story(): string {
    const { exitCode, signalCode } = this.child;
    return `hundredfold ${this.words} (exit ${String(exitCode ?? signalCode)})\n--- stdout\n${this.stdout}\n--- stderr\n${this.stderr}`;
  }
}

/** The command lines of all processes of this machine, as any user can see them. */
export function processArguments(): string {
  // A bare Debian has no `ps`, macOS no /proc.
  if (!existsSync('/proc/self/cmdline'))
    return execFileSync('ps', ['-axww', '-o', 'command='], { encoding: 'utf8' });
  const ids = readdirSync('/proc').filter((id) => /^\d+$/.test(id));
  const lines = ids.map((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return ''; // ended meanwhile
    }
  });
  return lines.join('\n');
}

/** Opens a terminal of 100 x 30 for a command; it exits with the code of the command. */
const TERMINAL = `
import os, pty, sys
code = pty.spawn(['sh', '-c', 'stty cols 100 rows 30; exec "$@"', 'sh'] + sys.argv[1:])
sys.exit(os.waitstatus_to_exitcode(code))
`;

export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'hundredfold-desk-'));
  /** Folder of the embedded server of the commands run here. */
  readonly embedded = join(this.folder, '.hundredfold');
  /** Ids of the rows of the manifests here, by the name of their campaign. */
  readonly rows = new Map<string, readonly string[]>();
  /** Of the prediction service; by default that of the local services. */
  limits: Window = { limit: 100, windowMs: 3_600_000 };
  /** Whether the test itself wants another job of a molecule. */
  resends = false;
  readonly #typed: Typed[] = [];
  readonly #secrets = new Set<string>();
  readonly #damaged = new Set<string>();

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  write(name: string, content: string): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** Starts a command. */
  type(words: readonly string[], typing: Typing = {}): Typed {
    const { wrapper = [] } = typing;
    const command = [...wrapper, process.execPath, typing.program ?? BIN, ...words];
    const [program = '', ...args] = typing.terminal
      ? ['python3', '-c', TERMINAL, ...command]
      : command;
    for (const [variable, value = ''] of Object.entries(typing.env ?? {}))
      if (/(TOKEN|PASSWORD|ACCESS_KEY)$/.test(variable) && value.length > 7)
        this.#secrets.add(value);
    const child = spawn(program, args, {
      cwd: typing.cwd ?? this.folder,
      env: { ...this.#environment(), ...typing.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(typing.uid === undefined ? {} : { uid: typing.uid, gid: typing.uid }),
    });
    const typed = new Typed(child, words.join(' '));
    this.#typed.push(typed);
    return typed;
  }

  /** Starts a process that runs server and worker, so that the other commands need not. */
  async hosts(env: NodeJS.ProcessEnv): Promise<Typed> {
    const host = this.type(['host'], { env });
    await host.until(() => this.record('host')?.['pid'] === host.pid, 'it held the server');
    return host;
  }

  /** Runs a command to its end, which must have this exit code. */
  async runs(code: number, words: readonly string[], typing: Typing = {}): Promise<Ended> {
    return this.type(words, typing).endsWith(code);
  }

  /**
   * Every submission that reached the local services of this desk. Only after they have stopped: they lock their
   * database.
   */
  journal(file = join(this.embedded, 'services.db')): JournalEntry[] {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return new Journal(database).entries();
    } finally {
      database.close();
    }
  }

  /** Items of a campaign that have ended so far, from the files on disk. */
  done(campaign: string): number {
    const tree = this.path('results', campaign);
    const records = existsSync(tree)
      ? readdirSync(tree, { recursive: true, encoding: 'utf8' })
      : [];
    return records
      .filter((name) => name.endsWith('/item.json'))
      .filter((name) => /^ {2}"finished_at": "/m.test(readFileSync(join(tree, name), 'utf8')))
      .length;
  }

  /** A record of the embedded folder, e.g. `server`. */
  record(name: string, dir = this.embedded): Record<string, unknown> | null {
    const file = join(dir, `${name}.json`);
    return existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)
      : null;
  }

  /** Ids of running processes that serve this desk. */
  servers(): number[] {
    return (
      this.#files('server.json', 'host.json', 'background.json')
        .map((file) => (JSON.parse(readFileSync(file, 'utf8')) as { pid?: number }).pid ?? 0)
        // The library runs the server in the process of the test.
        .filter((pid) => pid !== process.pid && isAlive(pid))
    );
  }

  /** Command lines of processes that name this desk's folder. */
  processes(): string[] {
    return processArguments()
      .split('\n')
      .filter((line) => line.includes(this.folder));
  }

  /** Says that the test itself changes this tree, so that it is not whole at the end. */
  damages(...names: readonly string[]): string {
    this.#damaged.add(this.path(...names));
    return this.path(...names);
  }

  /** Ends everything, and asks whether all promises were kept. */
  async leave(): Promise<void> {
    await this.#endAll();
    try {
      await this.#expectPromises();
    } finally {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  /** The promises (test/promises.ts), for everything that the commands left behind: no test can forget them. */
  async #expectPromises(): Promise<void> {
    for (const journal of this.#files('services.db').map((file) => this.journal(file))) {
      // The names of molecules are those of their users, also in another job.
      const named = journal.filter(({ service }) => !this.resends || service === 'predictions');
      promises.atMostOneJob(named, Infinity);
      promises.neverRefusedForRate(journal);
      promises.neverOverBudget(journal, this.limits);
    }
    const typed = this.#typed.map((one) => [one.words, one.stdout + one.stderr] as const);
    const texts = Object.fromEntries(typed);
    // Campaigns that were published.
    for (const tree of this.#files(CAMPAIGN_SUMMARY).map((file) => dirname(file))) {
      if (this.#damaged.has(tree) || !existsSync(join(tree, PREPARED_CAMPAIGN))) continue;
      await expectTree(tree, this.rows.get(basename(tree)));
      for (const secret of this.#secrets) await promises.noSecret(secret, tree, texts);
    }
  }

  async close(): Promise<void> {
    await this.#endAll();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #endAll(): Promise<void> {
    // Twice: a killed process may have recorded another that it had just started.
    for (let round = 0; round < 2; round += 1) {
      for (const { child, running } of this.#typed) if (running) child.kill('SIGKILL');
      for (const pid of this.servers()) process.kill(pid, 'SIGKILL');
      await Promise.all(this.#typed.map(({ ended }) => ended));
    }
  }

  #files(...names: readonly string[]): string[] {
    return readdirSync(this.folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => names.includes(basename(name)))
      .map((name) => this.path(name));
  }

  #environment(): NodeJS.ProcessEnv {
    const { TEMPORAL_CLI, LANG } = process.env;
    return {
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.folder,
      // Shared by all desks: otherwise the first command of each would compile everything again.
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'code'),
      TERM: 'xterm-256color',
      TMPDIR: tmpdir(),
      ...(TEMPORAL_CLI === undefined ? {} : { TEMPORAL_CLI }),
      ...(LANG === undefined ? {} : { LANG }),
    };
  }
}

async function expectTree(tree: string, ids: readonly string[] | undefined): Promise<void> {
  try {
    await promises.treeIsWhole(tree);
  } catch (error) {
    // It was left while it ran: only what has ended can be whole.
    if (error instanceof HundredfoldError && error.code === 'CAMPAIGN_NOT_ENDED') return;
    throw error;
  }
  const table = await promises.itemsTable(tree);
  await promises.noItemLost(tree, ids ?? table.map(({ id = '' }) => id));
}

/** A desk for one test. */
export function desk(): Desk {
  const made = new Desk();
  onTestFinished(() => made.leave());
  // Readable by other users, too.
  chmodSync(made.folder, 0o755);
  return made;
}

/** A desk for all tests of a file. */
export function sharedDesk(): Desk {
  const made = new Desk();
  afterAll(() => made.leave());
  return made;
}
