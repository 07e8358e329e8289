/** Tables read with DuckDB, as a user would read them. */
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';

export type Rows = Record<string, DuckDBValue>[];

/** Runs one statement in its own database. @param folder for resolving relative names of files */
export async function query(folder: string, sql: string): Promise<Rows> {
  const instance = await DuckDBInstance.create(':memory:', { file_search_path: folder });
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(sql);
    return reader.getRowObjects();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Name and type of each column, in order. */
export async function described(folder: string, source: string): Promise<[string, string][]> {
  const rows = await query(folder, `DESCRIBE SELECT * FROM ${source}`);
  return rows.map((row) => [String(row['column_name']), String(row['column_type'])]);
}
