/**
 * Records which entries of an unfinished archive are complete, in a database next to it. It is locked while its process
 * runs: two commands never write one archive, and a killed process leaves no lock behind.
 */
import { rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { codedError, type HundredfoldError } from '../../domain/errors.ts';
import { isBusy } from '../../state/sqlite-busy.ts';
import type { EndedEntry } from './zip-entry.ts';

/** A complete entry of the archive. */
export interface JournalEntry extends EndedEntry {
  /** In the archive, from its header to its lengths. */
  readonly bytes: number;
  /** SHA-256 of these bytes. */
  readonly sum: string;
}

const COLUMNS = ['path', 'at', 'bytes', 'sum', 'crc32', 'size', 'compressed', 'sha256'] as const;

const SELECT = `SELECT ${COLUMNS.join(', ')} FROM entries`;

export class Journal {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  private constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
    this.#select = database.prepare(`${SELECT} WHERE n = ?`);
    const places = COLUMNS.map((column) => `:${column}`).join(', ');
    this.#insert = database.prepare(
      `INSERT INTO entries (${COLUMNS.join(', ')}) VALUES (${places})`,
    );
  }

  /**
   * @param head what all entries have in common; the entries of an archive with another head are dropped
   * Throws `DEPOSIT_BUSY` if another process has it open.
   */
  static open(path: string, head: string): Journal {
    let database: DatabaseSync;
    try {
      database = opened(path, head);
    } catch (error) {
      if (isBusy(error)) throw busy(path, error);
      // Damaged by a power failure: it can be deleted, since it only saves time.
      removeDatabase(path);
      database = opened(path, head);
    }
    return new Journal(path, database);
  }

  /** The entry of this number, from 1; null if there is none. */
  entry(number: number): JournalEntry | null {
    // Written by `add` only.
    return (this.#select.get(number) ?? null) as unknown as JournalEntry | null;
  }

  /** In archive order. */
  entries(): Iterable<JournalEntry> {
    const rows = this.#database.prepare(`${SELECT} ORDER BY n`).iterate();
    return rows as Iterable<unknown> as Iterable<JournalEntry>;
  }

  add(entries: readonly JournalEntry[]): void {
    this.#database.exec('BEGIN');
    for (const entry of entries) {
      const { path, at, bytes, sum, crc32, size, compressed, sha256 } = entry;
      this.#insert.run({ path, at, bytes, sum, crc32, size, compressed, sha256 });
    }
    this.#database.exec('COMMIT');
  }

  /** Deletes the entries that begin at or after this offset. */
  cut(at: number): void {
    this.#database.prepare('DELETE FROM entries WHERE at >= ?').run(at);
  }

  close(): void {
    this.#database.close();
  }

  remove(): void {
    this.close();
    removeDatabase(this.#path);
  }
}

function opened(path: string, head: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Need not survive a power failure: every entry is compared with its sum before it is kept.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; BEGIN EXCLUSIVE');
    database.exec('CREATE TABLE IF NOT EXISTS head (text TEXT NOT NULL)');
    database.exec(
      `CREATE TABLE IF NOT EXISTS entries (n INTEGER PRIMARY KEY, ${COLUMNS.join(', ')})`,
    );
    if (database.prepare('SELECT text FROM head').get()?.['text'] !== head) {
      database.exec('DELETE FROM head; DELETE FROM entries');
      database.prepare('INSERT INTO head VALUES (?)').run(head);
    }
    database.exec('COMMIT');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function removeDatabase(path: string): void {
  for (const file of [path, `${path}-journal`]) rmSync(file, { force: true });
}

function busy(path: string, cause: unknown): HundredfoldError {
  return codedError('DEPOSIT_BUSY', { path }, cause);
}
