/**
 * The jobs of both services in SQLite: every state change is written before it is reported, so that a restart finds
 * each job in its last state. Statements are prepared once; each uses an index.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { ServiceName } from './contract.ts';
import type { EngineJob, Output, OutputName } from './engines/engine.ts';
import type { Job, JobInput, JobState, LogEntry, NewJob, RequestType } from './job.ts';
import { inTransaction } from './schema.ts';

const COLUMNS = `seq, id, task_id AS taskId, service, endpoint AS requestType, owner, job_name AS jobName, state,
  attempt, progress, status_message AS statusMessage, error, fault, queued_at AS queuedAt, updated_at AS updatedAt,
  started_at AS startedAt, finished_at AS finishedAt, heartbeat_at AS heartbeatAt, time_limit_ms AS timeLimitMs,
  public, views`;

/** Rows of a long list: they take some milliseconds. */
const READ_AT_ONCE = 200;

type Row = Record<string, SQLOutputValue>;
type Values = Record<string, SQLInputValue>;

/** SQL statements, each prepared at its first use. */
class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  get(sql: string, values: Values): Row | undefined {
    return this.#prepare(sql).get(values);
  }

  all(sql: string, values: Values): Row[] {
    return this.#prepare(sql).all(values);
  }

  /** The number of rows changed. */
  run(sql: string, values: Values): number {
    return Number(this.#prepare(sql).run(values).changes);
  }

  /** The row id of the row inserted. */
  insert(sql: string, values: Values): number {
    return Number(this.#prepare(sql).run(values).lastInsertRowid);
  }
}

// The table is STRICT and only this file writes it, so a row has the form of its columns.
const asJob = (row: Row): Job => ({ ...(row as unknown as Job), public: row['public'] === 1 });

export class JobStore {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  /** Unfinished jobs by service: counted once, then updated, because every status response contains it. */
  readonly #pending: Record<ServiceName, number>;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#sql = new Statements(database);
    const pending = (service: ServiceName): number =>
      Number(
        this.#sql.get(
          `SELECT (SELECT COUNT(*) FROM jobs WHERE service = :service AND state = 'enqueued')
                + (SELECT COUNT(*) FROM jobs WHERE service = :service AND state = 'RUNNING') AS n`,
          { service },
        )?.['n'],
      );
    this.#pending = { molecules: pending('molecules'), predictions: pending('predictions') };
  }

  /** Adds a job; the caller holds the transaction that also counts it. */
  add(job: NewJob): number {
    const { input, ...columns } = job;
    const seq = this.#sql.insert(
      `INSERT INTO jobs (id, task_id, service, endpoint, owner, job_name, state, attempt, progress, status_message,
         fault, queued_at, updated_at, time_limit_ms, public)
       VALUES (:id, :taskId, :service, :requestType, :owner, :jobName, 'enqueued', 1, 0, 'waiting for a worker',
         :fault, :at, :at, :timeLimitMs, :public)`,
      { ...columns, public: job.public ? 1 : 0 },
    );
    this.#sql.run(
      'INSERT INTO inputs (seq, job, original, details) VALUES (:seq, :job, :original, :details)',
      {
        seq,
        job: JSON.stringify(input.job),
        original: input.original,
        details: JSON.stringify(input.details),
      },
    );
    this.#pending[job.service] += 1;
    return seq;
  }

  /** Deletes a job: the fault `lose`. */
  remove(id: string): void {
    const job = this.get(id);
    if (job === undefined) return;
    inTransaction(this.#database, () => {
      for (const table of ['jobs', 'inputs', 'outputs', 'logs', 'entries']) {
        this.#sql.run(`DELETE FROM ${table} WHERE seq = :seq`, { seq: job.seq });
      }
    });
    if (job.state === 'enqueued' || job.state === 'RUNNING') this.#pending[job.service] -= 1;
  }

  get(id: string): Job | undefined {
    const row = this.#sql.get(`SELECT ${COLUMNS} FROM jobs WHERE id = :id`, { id });
    return row === undefined ? undefined : asJob(row);
  }

  hasName(service: ServiceName, owner: string, jobName: string): boolean {
    const sql = `SELECT 1 FROM jobs WHERE service = :service AND owner = :owner AND job_name = :jobName`;
    return this.#sql.get(sql, { service, owner, jobName }) !== undefined;
  }

  /** All jobs of a token of one type, newest first, read when they are needed. */
  *ofOwner(service: ServiceName, owner: string, requestType: RequestType): Generator<Job> {
    const sql = `SELECT ${COLUMNS} FROM jobs
      WHERE service = :service AND owner = :owner AND endpoint = :requestType AND seq < :before
      ORDER BY seq DESC LIMIT ${READ_AT_ONCE}`;
    let before = Number.MAX_SAFE_INTEGER;
    let jobs: Job[];
    do {
      jobs = this.#sql.all(sql, { service, owner, requestType, before }).map(asJob);
      yield* jobs;
      before = jobs.at(-1)?.seq ?? 0;
    } while (jobs.length === READ_AT_ONCE);
  }

  /** Jobs of a service that are waiting or running. */
  pending(service: ServiceName): number {
    return this.#pending[service];
  }

  /** Jobs of a token that wait for a worker, without running ones. */
  waitingOf(service: ServiceName, owner: string): number {
    const sql = `SELECT COUNT(*) AS n FROM jobs
      WHERE service = :service AND owner = :owner AND state = 'enqueued'`;
    return Number(this.#sql.get(sql, { service, owner })?.['n']);
  }

  /** Public jobs, newest first: at most `most` of those older than `before`. */
  published(service: ServiceName, before: number, most: number): Job[] {
    const sql = `SELECT ${COLUMNS} FROM jobs
      WHERE service = :service AND public = 1 AND seq < :before ORDER BY seq DESC LIMIT :most`;
    return this.#sql.all(sql, { service, before, most }).map(asJob);
  }

  countView(seq: number): void {
    this.#sql.run('UPDATE jobs SET views = views + 1 WHERE seq = :seq', { seq });
  }

  input(seq: number): JobInput {
    const row = this.#sql.get('SELECT job, original, details FROM inputs WHERE seq = :seq', {
      seq,
    });
    return {
      job: JSON.parse(String(row?.['job'])) as EngineJob,
      original: String(row?.['original']),
      details: JSON.parse(String(row?.['details'])) as JobInput['details'],
    };
  }

  /** The other fields of the submission, without the input, which may be large. */
  details(seq: number): JobInput['details'] {
    const row = this.#sql.get('SELECT details FROM inputs WHERE seq = :seq', { seq });
    return JSON.parse(String(row?.['details'])) as JobInput['details'];
  }

  output(seq: number, name: OutputName): { contentType: string; body: Buffer } | undefined {
    const sql = 'SELECT content_type, body FROM outputs WHERE seq = :seq AND name = :name';
    const row = this.#sql.get(sql, { seq, name });
    if (row === undefined) return undefined;
    const body = row['body'];
    return {
      contentType: String(row['content_type']),
      body: body instanceof Uint8Array ? Buffer.from(body) : Buffer.alloc(0),
    };
  }

  /** The processing log of a job: every state and every message of the engine, with its time. */
  entries(seq: number): LogEntry[] {
    const sql =
      'SELECT kind, at, state, progress, message FROM entries WHERE seq = :seq ORDER BY n';
    return this.#sql.all(sql, { seq }) as unknown as LogEntry[];
  }

  #enter(seq: number, entry: LogEntry): void {
    this.#sql.run(
      `INSERT INTO entries (seq, kind, at, state, progress, message)
       VALUES (:seq, :kind, :at, :state, :progress, :message)`,
      { seq, ...entry },
    );
  }

  #enterState(seq: number, at: number, state: JobState, message: string | null): void {
    this.#enter(seq, { kind: 'state', at, state, progress: null, message });
  }

  /** What the engine printed. */
  engineLog(seq: number): string {
    return String(this.#sql.get('SELECT text FROM logs WHERE seq = :seq', { seq })?.['text'] ?? '');
  }

  /**
   * Assigns the oldest waiting job to a worker: RUNNING from now on. `by` names the worker's engine, for the processing
   * log.
   */
  pickUp(service: ServiceName, at: number, by: string): Job | undefined {
    return inTransaction(this.#database, () => {
      const row = this.#sql.get(
        `UPDATE jobs SET state = 'RUNNING', started_at = :at, heartbeat_at = :at, updated_at = :at,
           status_message = 'started'
         WHERE seq = (SELECT seq FROM jobs WHERE service = :service AND state = 'enqueued' ORDER BY seq LIMIT 1)
         RETURNING ${COLUMNS}`,
        { service, at },
      );
      if (row === undefined) return undefined;
      const job = asJob(row);
      this.#enterState(job.seq, at, 'RUNNING', by);
      return job;
    });
  }

  progress(seq: number, at: number, progress: number, text: string): void {
    inTransaction(this.#database, () => {
      const changed = this.#sql.run(
        `UPDATE jobs SET progress = :progress, status_message = :text, updated_at = :at, heartbeat_at = :at
         WHERE seq = :seq AND state = 'RUNNING'`,
        { seq, at, progress, text },
      );
      if (changed === 1)
        this.#enter(seq, { kind: 'message', at, state: null, progress, message: text });
    });
  }

  heartbeat(seq: number, at: number): void {
    this.#sql.run(`UPDATE jobs SET heartbeat_at = :at WHERE seq = :seq AND state = 'RUNNING'`, {
      seq,
      at,
    });
  }

  /** Whether the worker of a running job has been silent since `since`. */
  isSilent(seq: number, since: number): boolean {
    const sql = `SELECT 1 FROM jobs WHERE seq = :seq AND state = 'RUNNING' AND heartbeat_at < :since`;
    return this.#sql.get(sql, { seq, since }) !== undefined;
  }

  finish({ seq, service }: Job, at: number, outputs: readonly Output[], log: string): void {
    const end = { state: 'FINISHED', progress: 100, text: 'finished', error: null } as const;
    this.#end(seq, service, { ...end, at, log, outputs });
  }

  fail({ seq, service }: Job, at: number, error: string, log: string): void {
    const end = { state: 'FAILED', progress: null, text: 'failed', error } as const;
    this.#end(seq, service, { ...end, at, log, outputs: [] });
  }

  #end(
    seq: number,
    service: ServiceName,
    end: {
      readonly state: JobState;
      readonly progress: number | null;
      readonly text: string;
      readonly error: string | null;
      readonly at: number;
      readonly log: string;
      readonly outputs: readonly Output[];
    },
  ): void {
    const { log, outputs, ...columns } = end;
    inTransaction(this.#database, () => {
      const changed = this.#sql.run(
        `UPDATE jobs SET state = :state, progress = COALESCE(:progress, progress), status_message = :text,
           error = :error, finished_at = :at, updated_at = :at
         WHERE seq = :seq AND state = 'RUNNING'`,
        { seq, ...columns },
      );
      // A job that failed for missing heartbeats, or was lost, keeps that state if its engine returns a result later.
      if (changed === 0) return;
      this.#sql.run('INSERT OR REPLACE INTO logs (seq, text) VALUES (:seq, :log)', { seq, log });
      const insert =
        'INSERT INTO outputs (seq, name, content_type, body) VALUES (:seq, :name, :contentType, :body)';
      for (const { name, contentType, body } of outputs) {
        this.#sql.run(insert, { seq, name, contentType, body });
      }
      this.#enterState(seq, end.at, end.state, end.error);
      this.#pending[service] -= 1;
    });
  }

  /** Jobs that were running when the process ended wait again, with the next attempt number. */
  requeue(at: number): number {
    return inTransaction(this.#database, () => {
      const rows = this.#sql.all(
        `UPDATE jobs SET state = 'enqueued', attempt = attempt + 1, started_at = NULL, heartbeat_at = NULL,
           progress = 0, status_message = 'waiting for a worker again', updated_at = :at
         WHERE state = 'RUNNING' RETURNING seq`,
        { at },
      );
      for (const row of rows) {
        this.#enterState(
          Number(row['seq']),
          at,
          'enqueued',
          'the service was restarted; the job runs again',
        );
      }
      return rows.length;
    });
  }
}
