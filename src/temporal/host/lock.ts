/**
 * Allows one host at a time in a folder. The Temporal dev server opens one database twice without an error, which
 * corrupts it. The lock is SQLite's own on a file beside the database: the operating system releases it when the
 * process ends, even after a crash, so there are no stale locks and no process ids to check.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { HundredfoldError } from '../../domain/errors.ts';
import { PRIVATE_FOLDER, createPrivateFile, tightenFolder } from '../../state.ts';

export interface Lock {
  release(): void;
}

const LOCK = 'host.lock';

/** Files of this program and its Temporal server in the folder: histories, inputs by name, local tokens, logs. */
const OURS =
  /^((temporal(-before-[\dTZ-]+)?|services|synthetic)\.db(-wal|-shm|-journal)?|(host|server|background|clock|identity|services|synthetic)\.json(\.\d+)?|(host|worker|temporal)\.log|host\.lock(-journal)?|clock-set-back|starting|state)$/;

function isOurs(name: string): boolean {
  return OURS.test(name);
}

/** null when another process holds it. */
export function tryLock(dir: string): Lock | null {
  let database: DatabaseSync;
  try {
    mkdirSync(dir, { recursive: true, mode: PRIVATE_FOLDER });
    tightenFolder(dir, isOurs);
    createPrivateFile(join(dir, LOCK));
    database = new DatabaseSync(join(dir, LOCK), { timeout: 0 });
  } catch (cause) {
    throw createFolderError(dir, cause);
  }
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw createFolderError(dir, error);
  }
  return { release: () => database.close() };
}

export function createFolderError(dir: string, cause: unknown): HundredfoldError {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return new HundredfoldError(
    'HOST_FOLDER_UNUSABLE',
    `cannot write in ${dir}, where the embedded server keeps its database${reason}`,
    'Make it writable, free space on its disk, or choose another folder: embedded.dir in hundredfold.yaml, or HUNDREDFOLD_EMBEDDED_DIR.',
    { cause },
  );
}

const RETRY_INTERVAL_MS = 50;

/** Waits until the other process has ended; `waiting` is called when that takes a second. */
export async function waitForLock(
  dir: string,
  waiting: () => void = () => undefined,
): Promise<Lock> {
  for (let tries = 1; ; tries += 1) {
    const lock = tryLock(dir);
    if (lock) return lock;
    if (tries === 20) waiting();
    await delay(RETRY_INTERVAL_MS);
  }
}

/** The primary result code SQLITE_BUSY. */
const BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}
