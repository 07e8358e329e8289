/** The processing log of the jobs: every state and every message of the engine, with its time. */
import type { JobState, LogEntry } from './job.ts';
import type { Statements } from './statements.ts';

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
