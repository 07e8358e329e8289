/**
 * A clock that was set back. The Temporal server stores its timers at absolute times, and hands out nothing that is due
 * before what it has handed out already: for as long as the clock was set back it stands still, also after a restart on
 * the same database (measured, docs/reliability.md). So that database is set aside, and the next command begins a new
 * one. Nothing is lost and nothing is sent twice: ended items and accepted jobs stand in the output tree, submissions in
 * the ledger.
 */
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FILE } from '../state/private-folder.ts';

/** Set back by less (ms), the server is waited for. */
export const WAITED_FOR_MS = 60_000;

const DATABASE = 'temporal.db';
const MARK = 'clock-set-back';

/** The next server in this folder is not to use the database that is there. */
export function markSetBack(dir: string): void {
  writeFileSync(join(dir, MARK), '', { mode: PRIVATE_FILE });
}

/** Whether the database cannot be gone on with. */
export function isSetBack(dir: string): boolean {
  return existsSync(join(dir, MARK));
}

/**
 * Sets the database aside where a command has marked it. No server may run on it. Returns the name that the database has
 * now; null when it stays where it is.
 */
export function setAsideAfterStep(dir: string, now = Date.now()): string | null {
  if (!isSetBack(dir)) return null;
  const aside = `temporal-before-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}.db`;
  for (const name of filesOf(dir))
    renameSync(join(dir, name), join(dir, name.replace(DATABASE, aside)));
  rmSync(join(dir, MARK), { force: true });
  return aside;
}

/** With its write-ahead log. */
function filesOf(dir: string): string[] {
  return readdirSync(dir).filter((name) => name === DATABASE || name.startsWith(`${DATABASE}-`));
}
