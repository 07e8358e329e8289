/**
 * Processes of this machine, by id, and its ports. A record on disk may be older than the last boot of the machine: its
 * id may now belong to an unrelated process, which must not be mistaken for ours and never be ended.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Deadline } from '../domain/process.ts';
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

export function isAlive(pid: number): boolean {
  // To the system, 0 and negative numbers are process groups, including our own.
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch {
    return false;
  }
}

/** True when the process lives and was started with all of these words in its command line. */
export function isRunningAs(pid: number, ...words: readonly string[]): boolean {
  if (!isAlive(pid)) return false;
  const typed = readCommandLine(pid);
  return words.every((word) => typed.includes(word));
}

/** Signals a process to end and waits; true when it has ended. */
export async function endProcess(
  pid: number,
  signal: 'SIGTERM' | 'SIGKILL',
  answerTimeoutMs: number,
): Promise<boolean> {
  try {
    process.kill(pid, signal);
  } catch {
    return !isAlive(pid); // already gone, or not ours
  }
  const deadline = new Deadline(answerTimeoutMs);
  while (isAlive(pid) && !deadline.hasPassed) await delay(20);
  return !isAlive(pid);
}

/** Kills a process without waiting: for a process that is itself ending. */
export function killNow(pid: number): void {
  try {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** A child that has ended but was not waited for still has a process id (Linux only; elsewhere never seen). */
function isZombie(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // macOS has no /proc but always `ps`; a minimal Debian has /proc but no `ps`.
    return spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
      .stdout;
  }
}

const LOOPBACK = '127.0.0.1';

/**
 * Below the ephemeral ports: a client that retries such a port while its server is down may be assigned that very port
 * as its own, which prevents the server from coming back.
 */
const LASTING = { from: 12_000, to: 30_000 };
const TRIES = 20;

function choosePort(): number {
  return LASTING.from + randomInt(LASTING.to - LASTING.from);
}

/** The first preferred port that is free, or any free one. */
export async function freePort(...wished: readonly number[]): Promise<number> {
  const lasting = Array.from({ length: TRIES }, choosePort);
  for (const port of [...wished.filter((one) => one > 0), ...lasting, 0]) {
    const got = await tryListen(port);
    if (got !== null) return got;
  }
  throw new Error('this machine has no free port');
}

/** An address here that a web page cannot guess: Linux has 16 million loopback addresses, others have one. */
export async function findHiddenPlace(): Promise<{ readonly ip: string; readonly port: number }> {
  const byte = () => randomInt(1, 255);
  const ip = `127.${byte()}.${byte()}.${byte()}`;
  for (const port of Array.from({ length: TRIES }, choosePort)) {
    if ((await tryListen(port, ip)) !== null) return { ip, port };
  }
  return { ip: LOOPBACK, port: await freePort() };
}

function tryListen(port: number, host = LOOPBACK): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const got = typeof address === 'object' && address ? address.port : null;
      server.close(() => resolve(got));
    });
  });
}

/** True when something accepts connections there. */
export function isListening(port: number, host = LOOPBACK): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1_000 });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    // Timers come before connections: if this process was busy for that long, the connection may have been accepted.
    socket.once('timeout', () => setImmediate(end, false));
  });
}
