/** Times of rows that another run of the system has written, converted to the steady clock of this one. */
import type { DatabaseSync } from 'node:sqlite';
import { prepared } from './prepared.ts';
import type { Moment } from './steady-clock.ts';

/** `table` is one of ours. */
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
