/**
 * The empty folder in which a job of a real engine runs. The engines use file names in shell commands, so its path is
 * plain. If a service is killed, its folders stay; the next one removes them.
 */
import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasErrno } from '../../problem.ts';

const PREFIX = 'hundredfold-job-';
const NAME = new RegExp(`^${PREFIX}(\\d+)-`);
/** No space, quote or special character of a shell. */
export const PLAIN_PATH = /^[A-Za-z0-9_./+-]+$/;

function place(): string {
  const chosen = tmpdir();
  return PLAIN_PATH.test(chosen) ? chosen : '/tmp';
}

/** A new empty folder, marked with the id of this process. Remove it with `removeFolder`. */
export function workFolder(): string {
  return mkdtempSync(join(place(), `${PREFIX}${String(process.pid)}-`));
}

export async function removeFolder(folder: string): Promise<void> {
  // A process of the job that is being killed may still write a last file.
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Removes the folders of services that have ended. */
export async function sweepFolders(): Promise<void> {
  const left = readdirSync(place()).filter((name) => {
    const owner = NAME.exec(name)?.[1];
    return owner !== undefined && !isAlive(Number(owner));
  });
  // Folders of other users cannot be removed, and stay.
  await Promise.allSettled(left.map((name) => removeFolder(join(place(), name))));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasErrno(error, 'EPERM');
  }
}
