/**
 * Processes of this machine, by id. A record on disk may be older than the last boot of the machine: its id may now
 * belong to an unrelated process, which must not be mistaken for ours and never be ended.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Deadline } from '../domain/process.ts';

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
