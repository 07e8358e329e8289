/**
 * Handles a clock that was set back. The Temporal server stores its timers with absolute times, and never dispatches a
 * task that is due earlier than one already dispatched: it stops for as long as the clock was set back, also after a
 * restart on the same database (measured, docs/reliability.md). So that database is set aside, and the next command
 * creates a new one. Nothing is lost and nothing is sent twice: ended items and accepted jobs are in the output tree,
 * submissions in the ledger.
 */
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../state/private-folder.ts';

/** If it was set back by less (ms), we wait until the server continues. */
export const WAITED_FOR_MS = 60_000;

const DATABASE = 'temporal.db';
const MARK = 'clock-set-back';

/** The next server in this folder must not use the existing database. */
export function markSetBack(dir: string): void {
  writeFileSync(join(dir, MARK), '', { mode: PRIVATE_FILE });
}

/** Whether the database can no longer be used. */
export function isSetBack(dir: string): boolean {
  return existsSync(join(dir, MARK));
}

/**
 * Sets the database aside if a command has marked it. No server may run on it. Returns the new name of the database;
 * null if it was not moved.
 */
export function setAsideAfterStep(dir: string, now = Date.now()): string | null {
  if (!isSetBack(dir)) return null;
  const aside = `temporal-before-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}.db`;
  for (const name of filesOf(dir))
    renameSync(join(dir, name), join(dir, name.replace(DATABASE, aside)));
  rmSync(join(dir, MARK), { force: true });
  return aside;
}

/** Including its write-ahead log. */
function filesOf(dir: string): string[] {
  return readdirSync(dir).filter((name) => name === DATABASE || name.startsWith(`${DATABASE}-`));
}
