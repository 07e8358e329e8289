/**
 * One host at a time in a folder. The Temporal dev server happily opens one database twice, which corrupts it.
 * The lock is SQLite's own on a file beside the database: the operating system drops it with the process, however
 * that dies, so there are no stale locks and no process ids to believe in.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HundredfoldError } from '../domain/errors.ts';

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
    throw new HundredfoldError({
      code: 'HOST_FOLDER_UNUSABLE',
      message: `cannot write in ${dir}, where the embedded server keeps its database`,
      remedy:
        'Choose another folder with embedded.dir in the configuration (HUNDREDFOLD_EMBEDDED_DIR).',
      cause,
    });
  }
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { release: () => database.close() };
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
