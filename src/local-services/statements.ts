/** SQL statements, each prepared at its first use. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

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
