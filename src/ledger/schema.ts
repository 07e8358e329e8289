/** The file of the ledger: opened, created, or set aside when it is damaged. */
import { existsSync, renameSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import { privateFile } from '../state/private-folder.ts';
import type { Moment } from './steady-clock.ts';

const LAYOUT = 1;

/**
 * `steady` is the moment from which a charge counts, in ms of the run `run` (steady-clock.ts), and `wall` the same
 * moment by the wall clock: of the answer, or of the reservation while the row is open. `sent` and `answered` (ms by
 * the wall clock) are only for display.
 */
const SCHEMA = `
CREATE TABLE charges (
  seq        INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  service    TEXT NOT NULL,
  address    TEXT NOT NULL,
  credential TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('open', 'charged')),
  origin     TEXT NOT NULL CHECK (origin IN ('sent', 'tree', 'service')),
  owner      TEXT NOT NULL,
  session    TEXT NOT NULL,
  remote_id  TEXT,
  keep_ms    REAL NOT NULL,
  run        TEXT NOT NULL,
  steady     REAL NOT NULL,
  wall       REAL NOT NULL,
  sent       REAL,
  answered   REAL
) STRICT;
CREATE INDEX charges_account ON charges (service, address, credential, steady);
CREATE INDEX charges_remote ON charges (service, address, remote_id);
CREATE INDEX charges_run ON charges (run, steady);
CREATE TABLE rejections (
  seq           INTEGER PRIMARY KEY,
  service       TEXT NOT NULL,
  address       TEXT NOT NULL,
  credential    TEXT NOT NULL,
  type          TEXT NOT NULL,
  charged       INTEGER NOT NULL,
  job_limit     INTEGER,
  service_limit INTEGER,
  hold_ms       REAL NOT NULL,
  run           TEXT NOT NULL,
  steady        REAL NOT NULL,
  wall          REAL NOT NULL
) STRICT;
CREATE TABLE gaps (
  seq    INTEGER PRIMARY KEY,
  run    TEXT NOT NULL,
  steady REAL NOT NULL,
  wall   REAL NOT NULL
) STRICT;
`;

/** A transaction takes less than a millisecond: a wait this long (ms) means that another process is suspended. */
const BUSY_MS = 2_000;

/** Opens the file, 0600, and creates it if there is none. Throws SQLite's errors. */
export function openDatabase(path: string): DatabaseSync {
  privateFile(path);
  const database = new DatabaseSync(path, { timeout: BUSY_MS });
  try {
    database.exec('PRAGMA journal_mode = WAL');
    createTables(database);
    const [found] = database.prepare('PRAGMA quick_check(1)').all();
    if (found?.['quick_check'] !== 'ok') throw damage(path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Two processes may open a new file concurrently: the second finds the work already done. */
function createTables(database: DatabaseSync): void {
  if (layoutOf(database) === LAYOUT) return;
  inTransaction(database, () => {
    const layout = layoutOf(database);
    if (layout !== 0 && layout !== LAYOUT) throw newer(layout);
    if (layout === 0) database.exec(`${SCHEMA} PRAGMA user_version = ${String(LAYOUT)}`);
  });
}

function layoutOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

/** Runs `work` as one transaction, excluding other writers. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, with any extended code. */
const DAMAGED = [11, 26];

export function isDamage(error: unknown): boolean {
  if (error instanceof HundredfoldError) return error.code === 'LEDGER_DAMAGED';
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return DAMAGED.includes(Number(error.errcode) & 0xff);
}

/** The log and the index move with the file: a new file must not use the old log. Returns the new name. */
export function setAside(path: string, wallMs: number): string {
  const stamp = new Date(wallMs).toISOString().replaceAll(/[:.]/g, '-');
  const aside = `${path}.damaged-${stamp}`;
  for (const end of ['', '-wal', '-shm'])
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`);
  return aside;
}

function damage(path: string): HundredfoldError {
  return codedError('LEDGER_DAMAGED', { path });
}

function newer(layout: number): HundredfoldError {
  return codedError('LEDGER_NEWER', { layout });
}

/** Converts times of rows that another run of the system has written to the steady clock of this one. `table`: ours. */
export function anchorRows(database: DatabaseSync, table: string, now: Moment): void {
  const { run, steadyMs, wallMs } = now;
  const known = prepared(
    database,
    `SELECT 1 FROM ${table} WHERE run < ? OR run > ? OR (run = ? AND steady > ?) LIMIT 1`,
  ).get(run, run, run, steadyMs);
  // The usual case: one read and no write.
  if (known === undefined) return;
  database
    .prepare(
      `UPDATE ${table} SET steady = ? - max(0, ? - wall), wall = min(wall, ?), run = ?
       WHERE run < ? OR run > ?`,
    )
    .run(steadyMs, wallMs, wallMs, run, run, run);
  database
    .prepare(`UPDATE ${table} SET steady = ?, wall = ? WHERE run = ? AND steady > ?`)
    .run(steadyMs, wallMs, run, steadyMs);
}

/** Each is prepared once per database: two transactions per submission run a dozen of them. */
const known = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** @param sql one of the fixed texts of this folder */
export function prepared(database: DatabaseSync, sql: string): StatementSync {
  const statements = known.get(database) ?? new Map<string, StatementSync>();
  known.set(database, statements);
  const statement = statements.get(sql) ?? database.prepare(sql);
  statements.set(sql, statement);
  return statement;
}
