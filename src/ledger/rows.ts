/** The file of the ledger and its rows. A row is an attempt at a submission, or a job that is known from elsewhere. */
import { existsSync, renameSync } from 'node:fs';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import {
  computeLongestSpan,
  REMOTE_GUARD_MS,
  type Close,
  type Usage,
  type Window,
} from '../budget/policy.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { ServiceName } from '../domain/campaign.ts';
import { LATEST_ACCEPTANCE_MS } from '../domain/limits.ts';
import { createPrivateFile } from '../state.ts';
import type { Moment } from './steady-clock.ts';

/** The account that a submission is charged to. */
export interface Account {
  readonly service: ServiceName;
  /** The service's own address; for local services one that distinguishes those of two folders. */
  readonly address: string;
  /** Fingerprint of the token. */
  readonly credential: string;
}

/** An attempt at a POST, which needs a slot. */
export interface ReservationRequest extends Account {
  /** Of all attempts at one submission, one makes the POST at most. Each has a slot until that is known. */
  readonly claim: string;
  /** Of its credential; empty: no limit. */
  readonly windows: readonly Window[];
  /** A claim of unknown outcome: both create at most one job, and share its slot (budget/closing.ts). */
  readonly replaces?: string | undefined;
}

/** An accepted job that is known from elsewhere. */
export interface KnownJob {
  readonly remoteId: string;
  /** Latest time at which the service accepted it, in ms since the epoch. */
  readonly closedAt: number;
}

/** The answer to an accepted POST, as the process that sent it wrote it. */
export interface WrittenAnswer {
  readonly remoteId: string;
  /** When it was complete. */
  readonly at: Pick<Moment, 'run' | 'steadyMs'>;
}

const LAYOUT = 3;

/**
 * `steady` is the moment from which a charge counts, in ms of the run `run` (steady-clock.ts), and `wall` the same
 * moment by the wall clock: of the answer, or of the reservation while the row is open. A row of the origin `damage` is of
 * no account: what was before it is unknown.
 */
const SCHEMA = `
CREATE TABLE charges (
  id         TEXT PRIMARY KEY,
  claim      TEXT NOT NULL,
  service    TEXT NOT NULL,
  address    TEXT NOT NULL,
  credential TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('open', 'charged')),
  origin     TEXT NOT NULL CHECK (origin IN ('sent', 'tree', 'damage')),
  remote_id  TEXT,
  keep_ms    REAL NOT NULL,
  run        TEXT NOT NULL,
  steady     REAL NOT NULL,
  wall       REAL NOT NULL
) STRICT;
CREATE INDEX charges_account ON charges (service, address, credential, steady);
CREATE INDEX charges_claim ON charges (claim);
CREATE INDEX charges_remote ON charges (service, address, remote_id);
CREATE INDEX charges_run ON charges (run, steady);
CREATE INDEX charges_origin ON charges (origin);
`;

/** At least as long (ms), also for display: windows may be made longer. The budget remembers more (budget/policy.ts). */
const REMEMBERED_MS = 3_600_000;
/** Longer than the window: an open row leaves it later. */
const KEEP_LONGER_MS = LATEST_ACCEPTANCE_MS + REMOTE_GUARD_MS;

type Row = Record<string, SQLOutputValue>;

/** The rows in one transaction, which holds the lock of the file at the moment `now`. */
export class Rows {
  readonly #database: DatabaseSync;
  readonly now: Moment;

  constructor(database: DatabaseSync, now: Moment) {
    this.#database = database;
    this.now = now;
  }

  /**
   * Converts rows of another run of the system to this one, once: elapsed time by the wall clock, and never negative. A
   * row later than now comes from a machine that was reset to a snapshot: it counts from now.
   */
  anchor(): void {
    const { run, steadyMs, wallMs } = this.now;
    const foreign = this.#get(
      'SELECT 1 FROM charges WHERE run < ? OR run > ? OR (run = ? AND steady > ?) LIMIT 1',
      ...[run, run, run, steadyMs],
    );
    // The usual case: one read and no write.
    if (foreign === undefined) return;
    this.#run(
      `UPDATE charges SET steady = ? - max(0, ? - wall), wall = min(wall, ?), run = ?
       WHERE run < ? OR run > ?`,
      ...[steadyMs, wallMs, wallMs, run, run, run],
    );
    this.#run(
      'UPDATE charges SET steady = ?, wall = ? WHERE run = ? AND steady > ?',
      ...[steadyMs, wallMs, run, steadyMs],
    );
  }

  /** Removes what counts in no window any more. */
  tidy(): void {
    this.#run(
      `DELETE FROM charges WHERE origin <> 'damage' AND steady + keep_ms < ?`,
      this.now.steadyMs,
    );
  }

  /** What counts against these windows, without what the attempt replaces. */
  usage(account: Account, windows: readonly Window[], replaced?: string): Usage {
    const { steadyMs } = this.now;
    const since = steadyMs - computeLongestSpan(windows) - LATEST_ACCEPTANCE_MS;
    const rows = this.#all(
      `SELECT state, steady FROM charges
       WHERE service = ? AND address = ? AND credential = ? AND steady > ? AND claim <> ?`,
      ...[account.service, account.address, account.credential, since, replaced ?? ''],
    );
    const closes = rows.map(({ state, steady }) =>
      state === 'charged' ? Number(steady) : Number(steady) + LATEST_ACCEPTANCE_MS,
    );
    // Without an answer, a row counts as in flight as long as one may come, and then as answered at the end.
    const ended = closes.filter((at) => at <= steadyMs).sort((a, b) => a - b);
    const { gapAt } = this;
    return {
      inFlight: closes.length - ended.length,
      closes: ended.map((at): Close => [at, 1, null]),
      // A submission that was in progress then may have been accepted later.
      ...(gapAt !== null && { unknownBefore: gapAt + LATEST_ACCEPTANCE_MS }),
    };
  }

  /** The slot of a claim of unknown outcome becomes that of the attempt which replaces it. */
  open(id: string, { claim, replaces, ...account }: ReservationRequest, windowMs: number): void {
    if (replaces !== undefined)
      this.#run(`DELETE FROM charges WHERE claim = ? AND state = 'open'`, replaces);
    this.#insert(account, { ...this.now, id, claim, state: 'open', origin: 'sent', windowMs });
  }

  free(id: string, replaced?: string): void {
    if (replaced === undefined)
      this.#run(`DELETE FROM charges WHERE id = ? AND state = 'open'`, id);
    else this.#run(`UPDATE charges SET claim = ? WHERE id = ? AND state = 'open'`, replaced, id);
  }

  /** Does nothing if a look-up has found the job before its answer came. Other attempts have sent nothing, and will not. */
  charge(claim: string, remoteId: string | null): void {
    const open = `SELECT id FROM charges WHERE claim = ? AND state = 'open' ORDER BY rowid DESC`;
    const [own, ...others] = this.#all(open, claim).map(({ id }) => String(id));
    if (own === undefined) return;
    for (const id of others) this.free(id);
    const { run, steadyMs, wallMs } = this.now;
    this.#run(
      `UPDATE charges SET state = 'charged', remote_id = ?, run = ?, steady = ?, wall = ? WHERE id = ?`,
      ...[remoteId, run, steadyMs, wallMs, own],
    );
  }

  readAnswer(claim: string): WrittenAnswer | null {
    const row = this.#get(
      `SELECT * FROM charges WHERE claim = ? AND state = 'charged' AND remote_id IS NOT NULL`,
      claim,
    );
    if (row === undefined) return null;
    const { remote_id: remoteId, run, steady } = row;
    return { remoteId: String(remoteId), at: { run: String(run), steadyMs: Number(steady) } };
  }

  /** False if it is known. */
  note(account: Account, { remoteId, closedAt }: KnownJob, windowMs: number): boolean {
    const { service, address } = account;
    const known = this.#get(
      'SELECT 1 FROM charges WHERE service = ? AND address = ? AND remote_id = ?',
      ...[service, address, remoteId],
    );
    if (known) return false;
    const { run, steadyMs, wallMs } = this.now;
    // A time in the future was written before the clock was set back: it counts from now.
    const elapsed = Math.max(0, wallMs - closedAt);
    const at = { run, steadyMs: steadyMs - elapsed, wallMs: wallMs - elapsed };
    const id = `tree ${service} ${address} ${remoteId}`;
    const [state, origin] = ['charged', 'tree'] as const;
    this.#insert(account, { ...at, id, claim: id, state, origin, windowMs, remoteId });
    return true;
  }

  /** The accounts with a submission in the last hour, and how many there were. */
  countSubmissions(): (Account & { readonly submissions: number })[] {
    const since = this.now.steadyMs - REMEMBERED_MS - LATEST_ACCEPTANCE_MS;
    return this.#all(
      `SELECT service, address, credential, count(*) AS submissions FROM charges
       WHERE origin <> 'damage' AND steady > ? GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      since,
    ).map(({ service, address, credential, submissions }) => ({
      service: String(service),
      address: String(address),
      credential: String(credential),
      submissions: Number(submissions),
    }));
  }

  /** When the ledger was recreated last; null if never. */
  get gapAt(): number | null {
    const at = this.#get(`SELECT max(steady) AS at FROM charges WHERE origin = 'damage'`)?.['at'];
    return typeof at === 'number' ? at : null;
  }

  addGap(): void {
    const id = 'damage';
    const nobody = { service: '', address: '', credential: '' };
    const [state, origin] = ['charged', 'damage'] as const;
    this.#insert(nobody, { ...this.now, id, claim: id, state, origin, windowMs: 0 });
  }

  #insert({ service, address, credential }: Account, row: NewRow): void {
    const keepMs = Math.max(REMEMBERED_MS, row.windowMs) + KEEP_LONGER_MS;
    this.#run(
      `INSERT OR REPLACE INTO charges
         (id, claim, service, address, credential, state, origin, remote_id, keep_ms, run, steady, wall)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[row.id, row.claim, service, address, credential, row.state, row.origin],
      ...[row.remoteId ?? null, keepMs, row.run, row.steadyMs, row.wallMs],
    );
  }

  #get(sql: string, ...values: (string | number)[]): Row | undefined {
    return this.#database.prepare(sql).get(...values);
  }

  #all(sql: string, ...values: (string | number)[]): Row[] {
    return this.#database.prepare(sql).all(...values);
  }

  #run(sql: string, ...values: (string | number | null)[]): void {
    this.#database.prepare(sql).run(...values);
  }
}

interface NewRow extends Moment {
  readonly id: string;
  readonly claim: string;
  readonly state: 'open' | 'charged';
  readonly origin: 'sent' | 'tree' | 'damage';
  readonly windowMs: number;
  readonly remoteId?: string;
}

/** A transaction takes milliseconds: a wait this long (ms) means that another process is suspended. */
const BUSY_MS = 2_000;

/**
 * Opens the file, 0600, and creates it if there is none. Each transaction is on disk before it returns, so that a power
 * cut does not lose a job whose first byte is sent next. Throws SQLite's errors.
 */
export function openDatabase(path: string): DatabaseSync {
  createPrivateFile(path);
  const database = new DatabaseSync(path, { timeout: BUSY_MS });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    createTables(database, path);
    const [found] = database.prepare('PRAGMA quick_check(1)').all();
    if (found?.['quick_check'] !== 'ok') throw createDamageError(path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Two processes may open a new file concurrently: the second finds the work already done. */
function createTables(database: DatabaseSync, path: string): void {
  if (readLayout(database) === LAYOUT) return;
  runInTransaction(database, () => {
    const layout = readLayout(database);
    if (layout > LAYOUT)
      throw new HundredfoldError(
        'LEDGER_UNUSABLE',
        `the ledger of submissions was written by a newer version (layout ${layout})`,
        'Use that version of hundredfold, or set HUNDREDFOLD_STATE_DIR to another folder.',
      );
    // Of an older version: what it has is unknown.
    if (layout !== 0 && layout !== LAYOUT) throw createDamageError(path);
    if (layout === 0) database.exec(`${SCHEMA} PRAGMA user_version = ${String(LAYOUT)}`);
  });
}

function readLayout(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

/** Runs `work` as one transaction, excluding other writers. */
export function runInTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, with any extended code. */
const DAMAGED = [11, 26];

export function isDamage(error: unknown): boolean {
  if (error instanceof HundredfoldError) return error.code === 'LEDGER_DAMAGED';
  if (!(error instanceof Error) || !('errcode' in error)) return false;
  return DAMAGED.includes(Number(error.errcode) & 0xff);
}

/** The log and the index move with the file: a new file must not use the old log. Returns the new name. */
export function setAside(path: string, wallMs: number): string {
  const stamp = new Date(wallMs).toISOString().replaceAll(/[:.]/g, '-');
  const aside = `${path}.damaged-${stamp}`;
  for (const end of ['', '-wal', '-shm'])
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`);
  return aside;
}

function createDamageError(path: string): HundredfoldError {
  return new HundredfoldError(
    'LEDGER_DAMAGED',
    `the ledger of submissions ${path} is damaged`,
    'No action is needed: it is set aside and recreated.',
  );
}
