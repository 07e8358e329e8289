/** SQLite's answer when another process has the lock of a database. */

/** The primary result code SQLITE_BUSY. */
const BUSY = 5;

export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === BUSY;
}
