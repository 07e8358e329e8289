/**
 * Another user of the machine, who takes guessable names in the shared temporary folder before we do, and reads
 * whatever is readable. It is only a user id, without an account.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Squat } from './plan.ts';

/** Of no account on any machine. */
const UID = 54_321;

/** Why there can be no other user here, in a few words; null if there can. */
export function whyNoOtherUser(): string | null {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid?.() !== 0) return 'needs root';
  const { status } = spawnSync('python3', ['-c', ''], { uid: UID, gid: UID });
  return status === 0 ? null : 'another user cannot run python3';
}

const FOLDER = `hundredfold-ports-${process.getuid?.() ?? 'user'}`;

/** Occupies the name until its stdin ends. `link` points into a folder of ours in which it may not write itself. */
const TAKE = `
import os, sqlite3, sys
how, path, target = sys.argv[1:]
if how == 'file':
    open(path, 'w').close()
elif how == 'link':
    os.symlink(target, path)
else:
    os.mkdir(path)
    os.chmod(path, 0o777)
    held = sqlite3.connect(os.path.join(path, 'host.lock'))
    held.execute('BEGIN EXCLUSIVE')
    os.chmod(os.path.join(path, 'host.lock'), 0o666)
print('taken', flush=True)
sys.stdin.read()
`;

export class Squatter {
  readonly #process: ChildProcess;
  readonly #target: string;

  /** @param temporary the round's temporary folder; @param target an empty folder that only we may write in */
  static async settle(how: Squat, temporary: string, target: string): Promise<Squatter> {
    mkdirSync(target, { mode: 0o755 });
    const child = spawn('python3', ['-c', TAKE, how, join(temporary, FOLDER), target], {
      uid: UID,
      gid: UID,
      cwd: '/',
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout.once('data', () => resolve());
      child.once('exit', (code) => reject(new Error(`the squatter ended: ${String(code)}`)));
    });
    return new Squatter(child, target);
  }

  private constructor(child: ChildProcess, target: string) {
    this.#process = child;
    this.#target = target;
  }

  leave(): void {
    this.#process.kill('SIGKILL');
  }

  /** Nothing was created at the target of its link. */
  madeUsWriteNothing(): void {
    expect(readdirSync(this.#target), 'files made through a link of another user').toEqual([]);
  }
}

/** Files below a folder that another user can read and that contain one of these texts. */
export function readableByOthers(folder: string, secrets: readonly string[]): void {
  const patterns = secrets.flatMap((secret) => ['-e', secret]);
  const { stdout, error } = spawnSync('grep', ['-rlaFs', ...patterns, folder], {
    uid: UID,
    gid: UID,
    cwd: '/',
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (error) throw error;
  const found = stdout.split('\n').filter((line) => line !== '');
  expect(found, 'files with a token that another user can read').toEqual([]);
}

/** A temporary folder like `/tmp`: all users may create files, only their owner may remove them. */
export function sharedTemporaryFolder(path: string): string {
  mkdirSync(path);
  chmodSync(path, 0o1777);
  return path;
}
