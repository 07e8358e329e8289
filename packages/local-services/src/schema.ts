/**
 * The database of both services: jobs, their inputs and outputs, the processing log, and every submission that arrived.
 * Large texts are in separate tables, so that a status request reads one short row.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { LocalServicesError, textOf } from './problem.ts';

/** Changes with every change of the schema: a database of another layout is refused. */
const LAYOUT = 4;

const SCHEMA = `
CREATE TABLE jobs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  task_id TEXT NOT NULL,
  service TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  owner TEXT NOT NULL,
  job_name TEXT,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  progress INTEGER NOT NULL,
  status_message TEXT NOT NULL,
  error TEXT,
  fault TEXT,
  queued_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  heartbeat_at INTEGER,
  time_limit_ms INTEGER NOT NULL,
  public INTEGER NOT NULL,
  views INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX jobs_name ON jobs (service, owner, job_name) WHERE job_name IS NOT NULL;
CREATE INDEX jobs_waiting ON jobs (service, seq) WHERE state = 'enqueued';
CREATE INDEX jobs_running ON jobs (service, seq) WHERE state = 'RUNNING';
CREATE INDEX jobs_public ON jobs (service, seq) WHERE public = 1;
CREATE INDEX jobs_waiting_of_owner ON jobs (service, owner) WHERE state = 'enqueued';
CREATE INDEX jobs_owner ON jobs (service, owner, endpoint, seq);

CREATE TABLE inputs (
  seq INTEGER PRIMARY KEY,
  job TEXT NOT NULL,
  original TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;

CREATE TABLE outputs (
  seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  content_type TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (seq, name)
) STRICT;

CREATE TABLE logs (seq INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;

CREATE TABLE entries (
  n INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  state TEXT,
  progress INTEGER,
  message TEXT
) STRICT;
CREATE INDEX entries_of_job ON entries (seq, n);

CREATE TABLE arrivals (
  n INTEGER PRIMARY KEY,
  service TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  at INTEGER NOT NULL,
  owner TEXT,
  address TEXT NOT NULL,
  job_name TEXT,
  accepted INTEGER NOT NULL,
  status INTEGER NOT NULL,
  request_id TEXT
) STRICT;
CREATE INDEX arrivals_of_owner ON arrivals (service, owner, at) WHERE accepted = 1;
CREATE INDEX arrivals_of_address ON arrivals (service, address, at) WHERE accepted = 1;
`;

const OWNER_ONLY = 0o600;

/**
 * Opens the database in write-ahead mode: a killed process loses nothing that was acknowledged (only a machine failure
 * could, which does not matter for a local service). It is locked, because two services on one file would run each
 * other's jobs. Throws `LOCAL_SERVICES_DATABASE`.
 */
export function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    // It contains tokens. SQLite gives its log the mode of the database.
    if (path !== ':memory:') closeSync(openSync(path, 'a', OWNER_ONLY));
    database = new DatabaseSync(path);
    database.exec(
      `PRAGMA busy_timeout = 2000; PRAGMA locking_mode = EXCLUSIVE;
       PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL`,
    );
    layOut(database);
    return database;
  } catch (cause) {
    database?.close();
    throw new LocalServicesError(
      'LOCAL_SERVICES_DATABASE',
      `The local services cannot use the database ${path}: ${textOf(cause)}.`,
      'Stop other local services that use this file, or choose another file.',
      { cause },
    );
  }
}

function layOut(database: DatabaseSync): void {
  const layout = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (layout === LAYOUT) return;
  if (layout !== 0) {
    throw new Error(`its layout is ${String(layout)}, expected ${String(LAYOUT)}`);
  }
  database.exec(`BEGIN; ${SCHEMA} PRAGMA user_version = ${String(LAYOUT)}; COMMIT`);
}

/** Runs `work` as one transaction: all of it or nothing. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
