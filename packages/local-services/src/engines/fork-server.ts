/**
 * The warm process from which b2bTools jobs are forked (fork_server.py): started once, controlled by lines of JSON, and
 * ended together with the service, even if that is killed.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Installed } from './install.ts';
import { BoundedText, residentBytes, type Ended, type Running } from './process.ts';

/** With empty standard input it loads, reports that it has loaded, and exits. */
export const FORK_SERVER = fileURLToPath(new URL('fork_server.py', import.meta.url));

/** Limit for loading, in ms: two seconds if its files are cached, a minute from a slow disk. */
const LOADING_MS = 120_000;
/** Limit for the server to kill a job, or to exit, before it is killed itself, in ms. */
const GRACE_MS = 5_000;

export interface ForkedProgram {
  readonly program: 'b2bTools' | 'shiftcrypt';
  readonly args: readonly string[];
  /** Its working folder, absolute. */
  readonly folder: string;
  /** File for all of its output, absolute. */
  readonly log: string;
  /**
   * Resident memory of the job's processes in MB, including memory shared with the server; the job is killed above it.
   */
  readonly memoryMb: number;
}

export type Forked = Omit<Ended, 'output'> & { readonly cpuSeconds: number };

/** The server ended during its jobs: none of them is the cause, as each is a separate process. */
class ForkServerLost extends Error {}

type Answer =
  | { readonly ready: string }
  | { readonly running: readonly (readonly [job: number, pid: number])[] }
  | {
      readonly ended: number;
      readonly code: number | null;
      readonly signal: number | null;
      readonly cpu: number;
    };

interface Waiting {
  readonly program: ForkedProgram;
  readonly running: Running;
  overMemory: boolean;
  readonly ended: (forked: Forked) => void;
  readonly lost: (error: Error) => void;
}

class ForkServer {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #printed = new BoundedText(4096);
  readonly #jobs = new Map<number, Waiting>();
  readonly #ready = Promise.withResolvers<null>();
  readonly #gone = Promise.withResolvers<null>();
  #last = 0;
  #alive = true;

  /** `environment` is complete: the service's own environment is not inherited. */
  constructor(python: string, environment: Readonly<Record<string, string>>) {
    this.#child = spawn(python, [FORK_SERVER], {
      cwd: '/',
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stderr.on('data', (bytes: Buffer) => {
      this.#printed.add(bytes);
    });
    createInterface(this.#child.stdout).on('line', (line) => {
      this.#hear(JSON.parse(line) as Answer);
    });
    // The server has exited; `close` reports this.
    this.#child.stdin.on('error', () => undefined);
    this.#child.once('error', (error) => {
      this.#lose(error.message);
    });
    this.#child.once('close', (code, signal) => {
      this.#lose(`it ended with ${signal ?? `code ${String(code)}`}`);
    });
    const late = setTimeout(() => this.#child.kill('SIGKILL'), LOADING_MS);
    const loaded = (): void => {
      clearTimeout(late);
    };
    this.#ready.promise.then(loaded, loaded);
  }

  get alive(): boolean {
    return this.#alive;
  }

  /**
   * Resolves when the job's process and its group have ended. When aborted, rejects with the signal's reason, also only
   * after the group has ended; rejects with `ForkServerLost` when the server ended.
   */
  async run(program: ForkedProgram, running: Running): Promise<Forked> {
    await this.#loaded(running);
    const job = (this.#last += 1);
    const { promise, resolve: ended, reject: lost } = Promise.withResolvers<Forked>();
    this.#jobs.set(job, { program, running, overMemory: false, ended, lost });
    const stop = (): void => {
      this.#kill(job);
    };
    running.signal.addEventListener('abort', stop, { once: true });
    try {
      const { program: name, args, folder, log } = program;
      const beat = running.heartbeatEveryMs / 1000;
      this.#say({ run: job, program: name, arguments: args, folder, log, beat });
      const forked = await promise;
      running.signal.throwIfAborted();
      return forked;
    } finally {
      this.#jobs.delete(job);
      running.signal.removeEventListener('abort', stop);
    }
  }

  /** Stops it and resolves when it has exited. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    const late = setTimeout(() => this.#child.kill('SIGKILL'), GRACE_MS);
    await this.#gone.promise;
    clearTimeout(late);
  }

  /** While the server loads, the service itself sends the job's heartbeats. */
  async #loaded(running: Running): Promise<void> {
    const { signal, heartbeatEveryMs } = running;
    signal.throwIfAborted();
    const beat = setInterval(() => {
      running.heartbeat();
    }, heartbeatEveryMs);
    try {
      await this.#ready.promise;
    } finally {
      clearInterval(beat);
    }
    signal.throwIfAborted();
  }

  #say(order: object): void {
    this.#child.stdin.write(`${JSON.stringify(order)}\n`);
  }

  #kill(job: number): void {
    this.#say({ kill: job });
    // A server that does not respond to this either is stuck; a new one runs the next job.
    const stuck = setTimeout(() => this.#jobs.has(job) && this.#child.kill('SIGKILL'), GRACE_MS);
    stuck.unref();
  }

  #hear(answer: Answer): void {
    if ('ready' in answer) this.#ready.resolve(null);
    else if ('running' in answer) {
      for (const [job, pid] of answer.running) this.#beat(job, pid);
    } else {
      const { ended: job, code, signal, cpu: cpuSeconds } = answer;
      const waiting = this.#jobs.get(job);
      const overMemory = waiting?.overMemory ?? false;
      waiting?.ended({ code, signal: signalName(signal), overMemory, cpuSeconds });
    }
  }

  #beat(job: number, pid: number): void {
    const waiting = this.#jobs.get(job);
    if (waiting === undefined) return;
    waiting.running.heartbeat();
    if (residentBytes(pid) <= waiting.program.memoryMb * 2 ** 20) return;
    waiting.overMemory = true;
    this.#kill(job);
  }

  #lose(how: string): void {
    this.#alive = false;
    const printed = this.#printed.toString().trim();
    const error = new ForkServerLost(`The b2bTools process is gone: ${how}. ${printed}`.trim());
    this.#ready.reject(error);
    for (const { lost } of this.#jobs.values()) lost(error);
    this.#gone.resolve(null);
  }
}

function signalName(number: number | null): NodeJS.Signals | null {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return (found?.[0] ?? null) as NodeJS.Signals | null;
}

/** The complete environment of the programs. One thread per job: the service runs as many jobs as there are cores. */
const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
  MKL_NUM_THREADS: '1',
  // Debian's scikit-learn is newer than the models and prints long warnings.
  PYTHONWARNINGS: 'ignore',
};

/**
 * One loaded b2bTools for all jobs: started with the first job, replaced if it dies.
 *
 * Rejected: one run of the engine over all queued sequences. It costs a little less than the forks, but it renames
 * records, writes one metadata block for all jobs, and lets one bad sequence fail every other.
 */
export class WarmB2bTools {
  /** Of its Python environment. */
  readonly folder: string;
  #server: ForkServer | null = null;

  constructor(installed: Installed) {
    this.folder = installed.folder;
  }

  /** Like `ForkServer.run`; if the server ends during a job, the job runs once more, on a new server. */
  async run(program: ForkedProgram, running: Running): Promise<Forked> {
    try {
      return await this.#loaded().run(program, running);
    } catch (error) {
      if (!(error instanceof ForkServerLost)) throw error;
      return await this.#loaded().run(program, running);
    }
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #loaded(): ForkServer {
    const python = join(this.folder, 'bin', 'python');
    if (this.#server?.alive !== true) this.#server = new ForkServer(python, ENVIRONMENT);
    return this.#server;
  }
}
