/**
 * One host at a time in a folder. The Temporal dev server happily opens one database twice, which corrupts it.
 * The lock is SQLite's own on a file beside the database: the operating system drops it with the process, however
 * that dies, so there are no stale locks and no process ids to believe in.
 */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, HundredfoldError } from '../domain/errors.ts';

export interface Lock {
  release(): void;
}

/** null when another process holds it. */
export function tryLock(dir: string): Lock | null {
  let database: DatabaseSync;
  try {
    mkdirSync(dir, { recursive: true });
    database = new DatabaseSync(join(dir, 'host.lock'), { timeout: 0 });
  } catch (cause) {
    throw folderUnusable(dir, cause);
  }
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw folderUnusable(dir, error);
  }
  return { release: () => database.close() };
}

export function folderUnusable(dir: string, cause: unknown): HundredfoldError {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return new HundredfoldError({
    code: 'HOST_FOLDER_UNUSABLE',
    message: `cannot write in ${dir}, where the embedded server keeps its database${reason}`,
    remedy:
      'Make it writable, or choose another folder: embedded.dir in hundredfold.yaml, or HUNDREDFOLD_EMBEDDED_DIR.',
    exitCode: EXIT.refused,
    cause,
  });
}

/** Held while a server of this user looks for its ports and takes them, whatever its folder. */
export const PORTS_LOCK = join(tmpdir(), `hundredfold-ports-${process.getuid?.() ?? 'user'}`);

const LOOK_AGAIN_MS = 50;

/** Waits until the other process is done, or has died; `waiting` is called when that takes a second. */
export async function waitForLock(
  dir: string,
  waiting: () => void = () => undefined,
): Promise<Lock> {
  for (let tries = 1; ; tries += 1) {
    const lock = tryLock(dir);
    if (lock) return lock;
    if (tries === 20) waiting();
    await delay(LOOK_AGAIN_MS);
  }
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
