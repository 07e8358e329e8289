/**
 * The jobs of both services in SQLite: every state change is written before it is reported, so that a restart finds
 * each job in its last state. Large texts are in tables of their own, so that a status request reads one short row.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { ServiceName } from './contract.ts';
import {
  CONTENT_TYPES,
  type EngineJob,
  type EngineOutcome,
  type OutputName,
} from './engines/engine.ts';
import { LocalServicesError, toMessage } from './problem.ts';

type JobState = 'enqueued' | 'RUNNING' | 'FINISHED' | 'FAILED';

/** The type of a job's request; the words are those of the submit paths. */
export type RequestType = 'single_sequence' | 'msa' | 'shiftcrypt' | 'molecule';

/** A job's row. All times in ms since the epoch. */
export interface Job {
  readonly seq: number;
  readonly id: string;
  readonly taskId: string;
  readonly service: ServiceName;
  readonly requestType: RequestType;
  /** SHA-256 of the token */
  readonly owner: string;
  readonly jobName: string | null;
  readonly state: JobState;
  /** From 1; incremented when a restart finds the job running. */
  readonly attempt: number;
  readonly progress: number;
  readonly statusMessage: string;
  readonly error: string | null;
  readonly fault: string | null;
  readonly queuedAt: number;
  readonly updatedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly heartbeatAt: number | null;
  readonly timeLimitMs: number;
}

type Given = 'id' | 'taskId' | 'service' | 'requestType' | 'owner' | 'jobName' | 'fault';
type NewJob = Pick<Job, Given | 'timeLimitMs'> & { readonly at: number; readonly input: JobInput };

export interface JobInput {
  readonly job: EngineJob;
  /** The input as the client sent it: the download format `input`. */
  readonly original: string;
  /** Other fields of the submission that a response repeats: predictor_type, the molecule service's token. */
  readonly details: Readonly<Record<string, string | null>>;
}

/** An entry of the processing log (contract of the prediction service, 2.6). */
interface LogEntry {
  readonly kind: 'state' | 'message';
  readonly at: number;
  readonly state: string | null;
  readonly progress: number | null;
  readonly message: string | null;
}

/** Changes with every change of the schema: a database of another layout is refused. */
const LAYOUT = 5;

const SCHEMA = `
CREATE TABLE jobs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, task_id TEXT NOT NULL, service TEXT NOT NULL,
  endpoint TEXT NOT NULL, owner TEXT NOT NULL, job_name TEXT, state TEXT NOT NULL, attempt INTEGER NOT NULL,
  progress INTEGER NOT NULL, status_message TEXT NOT NULL, error TEXT, fault TEXT, queued_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER, heartbeat_at INTEGER,
  time_limit_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX jobs_name ON jobs (service, owner, job_name) WHERE job_name IS NOT NULL;
CREATE INDEX jobs_waiting ON jobs (service, seq) WHERE state = 'enqueued';
CREATE INDEX jobs_running ON jobs (service, seq) WHERE state = 'RUNNING';
CREATE INDEX jobs_owner ON jobs (service, owner, endpoint, seq);
CREATE TABLE inputs (
  seq INTEGER PRIMARY KEY, job TEXT NOT NULL, original TEXT NOT NULL, details TEXT NOT NULL
) STRICT;
CREATE TABLE outputs (
  seq INTEGER NOT NULL, name TEXT NOT NULL, content_type TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (seq, name)
) STRICT;
CREATE TABLE logs (seq INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE entries (
  n INTEGER PRIMARY KEY, seq INTEGER NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, state TEXT, progress INTEGER,
  message TEXT
) STRICT;
CREATE INDEX entries_of_job ON entries (seq, n);
CREATE TABLE arrivals (
  n INTEGER PRIMARY KEY, service TEXT NOT NULL, endpoint TEXT NOT NULL, at INTEGER NOT NULL, owner TEXT,
  address TEXT NOT NULL, job_name TEXT, accepted INTEGER NOT NULL, status INTEGER NOT NULL, request_id TEXT
) STRICT;
CREATE INDEX arrivals_of_owner ON arrivals (service, owner, at) WHERE accepted = 1;
CREATE INDEX arrivals_of_address ON arrivals (service, address, at) WHERE accepted = 1;
`;

const OWNER_ONLY = 0o600;

/**
 * Opens the database in write-ahead mode: a killed process loses nothing that was acknowledged (only a machine failure
 * could, which does not matter for a local service). It is locked, because two services on one file would run each
 * other's jobs. Throws `LOCAL_SERVICES_FAILED`.
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
    const layout = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (layout === 0)
      database.exec(`BEGIN; ${SCHEMA} PRAGMA user_version = ${String(LAYOUT)}; COMMIT`);
    else if (layout !== LAYOUT)
      throw new Error(`its layout is ${String(layout)}, expected ${String(LAYOUT)}`);
    return database;
  } catch (cause) {
    database?.close();
    throw new LocalServicesError(
      'LOCAL_SERVICES_FAILED',
      `The local services cannot use the database ${path}: ${toMessage(cause)}.`,
      'Stop other local services that use this file, or choose another file.',
      { cause },
    );
  }
}

/** Runs `work` as one transaction: all of it or nothing. */
export function runInTransaction<T>(database: DatabaseSync, work: () => T): T {
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

const COLUMNS = `seq, id, task_id AS taskId, service, endpoint AS requestType, owner, job_name AS jobName, state,
  attempt, progress, status_message AS statusMessage, error, fault, queued_at AS queuedAt, updated_at AS updatedAt,
  started_at AS startedAt, finished_at AS finishedAt, heartbeat_at AS heartbeatAt, time_limit_ms AS timeLimitMs`;

type Row = Record<string, SQLOutputValue>;

// The table is STRICT and only this file writes it, so a row has the form of its columns.
const toJob = (row: Row): Job => row as unknown as Job;

export class JobStore {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  #sql(text: string): StatementSync {
    const statement = this.#prepared.get(text) ?? this.#database.prepare(text);
    this.#prepared.set(text, statement);
    return statement;
  }

  /** Adds a job; the caller holds the transaction that also counts it. */
  add({ input, ...job }: NewJob): void {
    const { lastInsertRowid: seq } = this.#sql(
      `INSERT INTO jobs (id, task_id, service, endpoint, owner, job_name, state, attempt, progress, status_message,
         fault, queued_at, updated_at, time_limit_ms)
       VALUES (:id, :taskId, :service, :requestType, :owner, :jobName, 'enqueued', 1, 0, 'waiting for a worker',
         :fault, :at, :at, :timeLimitMs)`,
    ).run(job);
    const details = JSON.stringify(input.details);
    const row = { seq, job: JSON.stringify(input.job), original: input.original, details };
    this.#sql('INSERT INTO inputs VALUES (:seq, :job, :original, :details)').run(row);
  }

  /** Deletes a job: the fault `lose`. */
  remove(id: string): void {
    const seq = this.get(id)?.seq;
    if (seq === undefined) return;
    runInTransaction(this.#database, () => {
      for (const table of ['jobs', 'inputs', 'outputs', 'logs', 'entries'])
        this.#sql(`DELETE FROM ${table} WHERE seq = :seq`).run({ seq });
    });
  }

  get(id: string): Job | undefined {
    const row = this.#sql(`SELECT ${COLUMNS} FROM jobs WHERE id = :id`).get({ id });
    return row === undefined ? undefined : toJob(row);
  }

  hasName(service: ServiceName, owner: string, jobName: string): boolean {
    const where = `service = :service AND owner = :owner AND job_name = :jobName`;
    const found = this.#sql(`SELECT 1 FROM jobs WHERE ${where}`).get({ service, owner, jobName });
    return found !== undefined;
  }

  /** All jobs of a token of one type, newest first. */
  ofOwner(service: ServiceName, owner: string, requestType: RequestType): Job[] {
    const where = `service = :service AND owner = :owner AND endpoint = :requestType`;
    return this.#sql(`SELECT ${COLUMNS} FROM jobs WHERE ${where} ORDER BY seq DESC`)
      .all({ service, owner, requestType })
      .map(toJob);
  }

  /** Number of jobs of a service that are waiting or running. */
  countPending(service: ServiceName): number {
    const count = (state: JobState): string =>
      `(SELECT COUNT(*) FROM jobs WHERE service = :service AND state = '${state}')`;
    const sql = `SELECT ${count('enqueued')} + ${count('RUNNING')} AS n`;
    return Number(this.#sql(sql).get({ service })?.['n']);
  }

  input(seq: number): JobInput {
    const row = this.#sql('SELECT job, original, details FROM inputs WHERE seq = :seq').get({
      seq,
    });
    return {
      job: JSON.parse(String(row?.['job'])) as EngineJob,
      original: String(row?.['original']),
      details: JSON.parse(String(row?.['details'])) as JobInput['details'],
    };
  }

  output(seq: number, name: OutputName): { contentType: string; body: Buffer } | undefined {
    const row = this.#sql(
      'SELECT content_type, body FROM outputs WHERE seq = :seq AND name = :name',
    ).get({ seq, name });
    if (row === undefined) return undefined;
    const body = Buffer.from(row['body'] as Uint8Array);
    return { contentType: String(row['content_type']), body };
  }

  /** The processing log of a job: every state and every message of the engine, with its time. */
  entries(seq: number): LogEntry[] {
    const rows = this.#sql('SELECT * FROM entries WHERE seq = :seq ORDER BY n').all({ seq });
    return rows as unknown as LogEntry[];
  }

  #enter(seq: number, at: number, entry: Partial<LogEntry>): void {
    const row = { kind: 'state', state: null, progress: null, message: null, ...entry, seq, at };
    this.#sql(
      `INSERT INTO entries (seq, kind, at, state, progress, message)
       VALUES (:seq, :kind, :at, :state, :progress, :message)`,
    ).run(row);
  }

  /** What the engine printed. */
  engineLog(seq: number): string {
    return String(this.#sql('SELECT text FROM logs WHERE seq = :seq').get({ seq })?.['text'] ?? '');
  }

  /** Assigns the oldest waiting job to a worker: RUNNING from now on. `by` names its engine, for the processing log. */
  pickUp(service: ServiceName, at: number, by: string): Job | undefined {
    return runInTransaction(this.#database, () => {
      const row = this.#sql(
        `UPDATE jobs SET state = 'RUNNING', started_at = :at, heartbeat_at = :at, updated_at = :at,
           status_message = 'started'
         WHERE seq = (SELECT seq FROM jobs WHERE service = :service AND state = 'enqueued' ORDER BY seq LIMIT 1)
         RETURNING ${COLUMNS}`,
      ).get({ service, at });
      if (row === undefined) return undefined;
      const job = toJob(row);
      this.#enter(job.seq, at, { state: 'RUNNING', message: by });
      return job;
    });
  }

  progress(seq: number, at: number, progress: number, message: string): void {
    runInTransaction(this.#database, () => {
      const { changes } = this.#sql(
        `UPDATE jobs SET progress = :progress, status_message = :message, updated_at = :at, heartbeat_at = :at
         WHERE seq = :seq AND state = 'RUNNING'`,
      ).run({ seq, at, progress, message });
      if (changes === 1) this.#enter(seq, at, { kind: 'message', progress, message });
    });
  }

  heartbeat(seq: number, at: number): void {
    const sql = `UPDATE jobs SET heartbeat_at = :at WHERE seq = :seq AND state = 'RUNNING'`;
    this.#sql(sql).run({ seq, at });
  }

  /** Whether the worker of a running job has been silent since `since`. */
  isSilent(seq: number, since: number): boolean {
    const where = `seq = :seq AND state = 'RUNNING' AND heartbeat_at < :since`;
    return this.#sql(`SELECT 1 FROM jobs WHERE ${where}`).get({ seq, since }) !== undefined;
  }

  /** A job that failed for missing heartbeats, or was lost, keeps that state if its engine returns a result later. */
  end(seq: number, at: number, outcome: EngineOutcome, log: string): void {
    const [state, text, progress, error] = outcome.ok
      ? (['FINISHED', 'finished', 100, null] as const)
      : (['FAILED', 'failed', null, outcome.message] as const);
    runInTransaction(this.#database, () => {
      const { changes } = this.#sql(
        `UPDATE jobs SET state = :state, progress = COALESCE(:progress, progress), status_message = :text,
           error = :error, finished_at = :at, updated_at = :at
         WHERE seq = :seq AND state = 'RUNNING'`,
      ).run({ seq, at, state, text, progress, error });
      if (changes === 0) return;
      this.#sql('INSERT OR REPLACE INTO logs (seq, text) VALUES (:seq, :log)').run({ seq, log });
      const insert = this.#sql('INSERT INTO outputs VALUES (?, ?, ?, ?)');
      for (const { name, body } of outcome.ok ? outcome.outputs : [])
        insert.run(seq, name, CONTENT_TYPES[name], body);
      this.#enter(seq, at, { state, message: error });
    });
  }

  /** Jobs that were running when the process ended wait again, with the next attempt number. */
  requeue(at: number): void {
    const message = 'the service was restarted; the job runs again';
    runInTransaction(this.#database, () => {
      const rows = this.#sql(
        `UPDATE jobs SET state = 'enqueued', attempt = attempt + 1, started_at = NULL, heartbeat_at = NULL,
           progress = 0, status_message = 'waiting for a worker again', updated_at = :at
         WHERE state = 'RUNNING' RETURNING seq`,
      ).all({ at });
      for (const { seq } of rows) this.#enter(Number(seq), at, { state: 'enqueued', message });
    });
  }
}
