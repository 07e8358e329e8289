/** The data of a job. */
import type { ServiceName } from '../domain/item.ts';
import type { EngineJob } from './engines/engine.ts';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

export type JobState = 'enqueued' | 'RUNNING' | 'FINISHED' | 'FAILED';

/** The type of a job's request; the words are those of the submit paths. */
export type RequestType = 'single_sequence' | 'msa' | 'shiftcrypt' | 'molecule';

/** A job's row. All times in ms since the epoch. */
export interface Job {
  readonly seq: number;
  /** request_id or hash_id */
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
  /** Whether the service's website lists it (contract of the molecule service, 1.6). */
  readonly public: boolean;
  /** How often its page was viewed (2.4). */
  readonly views: number;
}

export interface NewJob extends Pick<
  Job,
  | 'id'
  | 'taskId'
  | 'service'
  | 'requestType'
  | 'owner'
  | 'jobName'
  | 'fault'
  | 'timeLimitMs'
  | 'public'
> {
  readonly at: number;
  readonly input: JobInput;
}

export interface JobInput {
  readonly job: EngineJob;
  /** The input as the client sent it: the download format `input`. */
  readonly original: string;
  /** Other fields of the submission that a response repeats: predictor_type, the molecule service's token. */
  readonly details: Readonly<Record<string, string | null>>;
}

/** An entry of the processing log (contract of the prediction service, 2.6). */
export interface LogEntry {
  readonly kind: 'state' | 'message';
  readonly at: number;
  readonly state: string | null;
  readonly progress: number | null;
  readonly message: string | null;
}

/** The processing log of the jobs: every state and every message of the engine, with its time. */
export class JobTimeline {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  entries(seq: number): LogEntry[] {
    const sql =
      'SELECT kind, at, state, progress, message FROM entries WHERE seq = :seq ORDER BY n';
    return this.#sql.all(sql, { seq }) as unknown as LogEntry[];
  }

  enter(seq: number, entry: LogEntry): void {
    this.#sql.run(
      `INSERT INTO entries (seq, kind, at, state, progress, message)
       VALUES (:seq, :kind, :at, :state, :progress, :message)`,
      { seq, ...entry },
    );
  }

  enterState(seq: number, at: number, state: JobState, message: string | null): void {
    this.enter(seq, { kind: 'state', at, state, progress: null, message });
  }
}

/** SQL statements, each prepared at its first use. */
export type Row = Record<string, SQLOutputValue>;
type Values = Record<string, SQLInputValue>;

export class Statements {
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
