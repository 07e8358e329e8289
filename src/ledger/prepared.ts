/** Statements of the ledger, each prepared once per database: two transactions per submission run a dozen of them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

const known = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

/** @param sql one of the fixed texts of this folder: each statement is kept until the database is closed */
export function prepared(database: DatabaseSync, sql: string): StatementSync {
  const statements = known.get(database) ?? new Map<string, StatementSync>();
  known.set(database, statements);
  const statement = statements.get(sql) ?? database.prepare(sql);
  statements.set(sql, statement);
  return statement;
}
