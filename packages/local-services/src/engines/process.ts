/**
 * Runs one program for one job, in its own process group. The group ends when the job or the service ends, in every
 * case, and leaves no process running.
 *
 * Rejected: `prctl(PR_SET_PDEATHSIG)` by way of `setpriv`, which affects only the first process (ACPYPE starts sqm as
 * its grandchild), and a cleanup at the next start, which may be a day later.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasErrno } from '../problem.ts';

export interface Program {
  /** Absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** More of the environment. The service's own, which may contain tokens, is not inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Its working folder. */
  readonly folder: string;
}

export interface Running {
  readonly signal: AbortSignal;
  readonly heartbeatEveryMs: number;
  heartbeat(): void;
  /** Called with its output as it is printed. */
  onOutput?(text: string): void;
}

export interface Ended {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of its output on both channels, in order. */
  readonly output: string;
}

/** Characters of a program's output. */
const KEPT = 256 * 1024;

/** Time for a program to exit after SIGTERM, in ms. */
const GRACE_MS = 2_000;

/**
 * The program runs under a shell that has left a guard process in its group: it reads a pipe that the service holds
 * open, and kills the group when the pipe closes. So the group ends with the service even after a SIGKILL. No core
 * files; no file above 1 GB (blocks of 512 bytes).
 */
const GUARDED = `ulimit -c 0; ulimit -f 2097152
exec 3<&0
{ read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null 2>&1`;

/**
 * Resolves when the program and its group have ended. When aborted, rejects with the signal's reason, also only after
 * the group has ended.
 */
export async function runProgram(program: Program, running: Running): Promise<Ended> {
  running.signal.throwIfAborted();
  const child = startGuarded(program);
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-KEPT);
    running.onOutput?.(text);
  });
  const beat = setInterval(() => running.heartbeat(), running.heartbeatEveryMs);
  const stop = () => endGroup(child);
  running.signal.addEventListener('abort', stop, { once: true });
  try {
    const end = await waitForEnd(child);
    running.signal.throwIfAborted();
    return { ...end, output };
  } finally {
    clearInterval(beat);
    running.signal.removeEventListener('abort', stop);
  }
}

/** Sent by the system or by people. A program that its input breaks ends with others: SIGSEGV, SIGABRT, SIGXFSZ. */
const FROM_OUTSIDE: readonly (string | null)[] = ['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT'];
const NO_ROOM = /No space left on device|Cannot allocate memory|MemoryError|std::bad_alloc/;

/** How the machine has ended a program, whatever its input is, in words; null if that is not certain. */
export function findMachineFault({ code, signal, output }: Ended): string | null {
  if (code === 0) return null;
  if (FROM_OUTSIDE.includes(signal)) return `the engine was killed by ${String(signal)}.`;
  // By the shell above.
  if ((code === 126 || code === 127) && output.startsWith('engine: '))
    return 'the engine cannot be started.';
  const [words] = NO_ROOM.exec(output) ?? [];
  return words === undefined ? null : `the engine reports "${words}".`;
}

/** Of this process, before or after a program. */
const ERRORS = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'ENOMEM', 'EAGAIN', 'EMFILE', 'ENFILE'];

export function isMachineFault(error: unknown): boolean {
  return ERRORS.some((code) => hasErrno(error, code));
}

/** One core per job: the service runs as many jobs as there are cores. */
const ONE_CORE = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' };

function startGuarded({ command, args, environment, folder }: Program): ChildProcess {
  return spawn('/bin/sh', ['-c', GUARDED, 'engine', command, ...args], {
    cwd: folder,
    env: { ...ONE_CORE, LANG: 'C.UTF-8', HOME: folder, TMPDIR: folder, ...environment },
    // Its own process group, led by this process.
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

type End = Pick<Ended, 'code' | 'signal'>;

function waitForEnd(child: ChildProcess): Promise<End> {
  return new Promise((resolve, reject) => {
    let end: End | undefined;
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      end = { code, signal };
      // Also closes the guard's pipe, which kills everything that the program has left running.
      child.stdin?.destroy();
      killGroup(child, 'SIGKILL');
    });
    child.once('close', () => resolve(end ?? { code: null, signal: null }));
  });
}

/** Sends SIGTERM, and shortly after SIGKILL to processes that still run. */
function endGroup(child: ChildProcess): void {
  killGroup(child, 'SIGTERM');
  const late = setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS);
  child.once('close', () => clearTimeout(late));
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    // It has already ended.
    if (!hasErrno(error, 'ESRCH')) throw error;
  }
}

/**
 * The empty folder in which a job runs. The engines use file names in shell commands, so its path is plain. If a service
 * is killed, its folders stay; the next one removes them.
 */
const PREFIX = 'hundredfold-job-';
const NAME = new RegExp(`^${PREFIX}(\\d+)-`);
/** No space, quote or special character of a shell. */
export const PLAIN_PATH = /^[A-Za-z0-9_./+-]+$/;

function findPlace(): string {
  const chosen = tmpdir();
  return PLAIN_PATH.test(chosen) ? chosen : '/tmp';
}

/** A new empty folder, marked with the id of this process, for as long as the work takes. */
export async function runInWorkFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(findPlace(), `${PREFIX}${String(process.pid)}-`));
  try {
    return await work(folder);
  } finally {
    await removeFolder(folder);
  }
}

async function removeFolder(folder: string): Promise<void> {
  // A process of the job that is being killed may still write a last file.
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Removes the folders of services that have ended. */
export async function sweepFolders(): Promise<void> {
  const left = readdirSync(findPlace()).filter((name) => {
    const owner = NAME.exec(name)?.[1];
    return owner !== undefined && !isAlive(Number(owner));
  });
  // Folders of other users cannot be removed, and stay.
  await Promise.allSettled(left.map((name) => removeFolder(join(findPlace(), name))));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasErrno(error, 'EPERM');
  }
}
