/** The charges in the file. Every method runs inside the transaction of its caller. */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { windowMeant } from '../budget/charges.ts';
import { charged, GUARD_MS, longestMs, type Window } from '../budget/policy.ts';
import type { ServiceName } from '../domain/item.ts';
import { LATEST_ACCEPTANCE_MS } from '../domain/longest-post.ts';
import type {
  Account,
  AcceptedAnswer,
  Charge,
  KnownJob,
  Reservation,
  ReservationRequest,
  WrittenAnswer,
} from './charge.ts';
import { fullness, usageOf, type Counted } from './fullness.ts';
import { anchorRows, prepared } from './schema.ts';
import type { Moment } from './steady-clock.ts';

type Row = Record<string, SQLOutputValue>;
type Full = Extract<Reservation, { type: 'full' }>;

/** How often (ms) expired rows are removed. */
const TIDY_EVERY_MS = 60_000;
/** An answer may come late, from a process that was suspended: its row is kept this long (ms). */
const OPEN_KEPT_MS = 24 * 3_600_000;

export class ChargeRows {
  readonly #database: DatabaseSync;
  readonly #owner: string;
  readonly #session: string;
  #tidiedAt = Number.NEGATIVE_INFINITY;

  constructor(
    database: DatabaseSync,
    { owner, session }: { readonly owner: string; readonly session: string },
  ) {
    this.#database = database;
    this.#owner = owner;
    this.#session = session;
  }

  /**
   * Converts rows of another run of the system to this one, once: elapsed time by the wall clock, and never negative. A
   * row later than now comes from a machine that was reset to a snapshot: it counts from now.
   */
  anchor(now: Moment): void {
    for (const table of ['charges', 'gaps']) anchorRows(this.#database, table, now);
  }

  /** Removes rows older than every window in which they may count. */
  tidy({ steadyMs }: Moment): void {
    if (steadyMs < this.#tidiedAt + TIDY_EVERY_MS) return;
    this.#tidiedAt = steadyMs;
    this.#run(
      `DELETE FROM charges WHERE steady + keep_ms + CASE state WHEN 'open' THEN ? ELSE 0 END < ?`,
      OPEN_KEPT_MS,
      steadyMs,
    );
  }

  stateOf(id: string): { readonly state: string; readonly session: string } | null {
    const row = this.#get('SELECT state, session FROM charges WHERE id = ?', id);
    return row ? { state: String(row['state']), session: String(row['session']) } : null;
  }

  /** The charge remains; the id can be used for another POST. */
  giveOtherId(id: string): void {
    this.#run('UPDATE charges SET id = ? WHERE id = ?', `${id} ${randomUUID()}`, id);
  }

  full(submission: ReservationRequest, { steadyMs }: Moment): Full | null {
    const { windows, replaces } = submission;
    const others = this.#counted(submission, windows, steadyMs).filter(({ id }) => id !== replaces);
    const found = fullness(others, windows, steadyMs);
    return found && { type: 'full', ...found, because: 'window' };
  }

  /** The row of a POST of unknown fate becomes that of the POST which replaces it. */
  open(submission: ReservationRequest, now: Moment): void {
    const { id, windows, replaces } = submission;
    if (replaces !== undefined) this.free(replaces);
    const keep = keepMs(longestMs(windows));
    this.#insert(submission, { id, state: 'open', origin: 'sent', keepMs: keep, ...now });
  }

  /** How many of an account's charges count in a window that ends when `id` was reserved; includes `id`. */
  chargedSince(id: string, account: Account, window: Window, now: Moment): number {
    const reserved = this.#get('SELECT steady FROM charges WHERE id = ?', id);
    const since = Math.min(now.steadyMs, Number(reserved?.['steady'] ?? now.steadyMs));
    return charged(window, usageOf(this.#counted(account, [window], since), since), since);
  }

  has(id: string): boolean {
    return this.#get('SELECT 1 FROM charges WHERE id = ?', id) !== undefined;
  }

  charge(id: string, answer: AcceptedAnswer, now: Moment): void {
    const { remoteId, rateLimit, sentAt, answeredAt } = answer;
    const row = this.#get('SELECT * FROM charges WHERE id = ?', id);
    // Charged already by a look-up, which found the job before its answer came.
    if (row?.['state'] !== 'open') return;
    if (rateLimit) this.#chargeForeignJobs(row, rateLimit, now);
    this.#run(
      `UPDATE charges SET state = 'charged', remote_id = ?, sent = ?, answered = ?,
         run = ?, steady = ?, wall = ? WHERE id = ?`,
      ...[remoteId ?? null, sentAt ?? null, answeredAt ?? null],
      ...[now.run, now.steadyMs, now.wallMs, id],
    );
  }

  /** The answer to a POST by the steady clock, if a process wrote it; null without one. */
  answerOf(id: string): WrittenAnswer | null {
    const row = this.#get(
      `SELECT * FROM charges WHERE id = ? AND state = 'charged' AND remote_id IS NOT NULL`,
      id,
    );
    if (row === undefined) return null;
    const { remote_id: remoteId, run, steady, sent, answered } = row;
    const at = { run: String(run), steadyMs: Number(steady) };
    return { remoteId: String(remoteId), at, sentAt: timeOf(sent), answeredAt: timeOf(answered) };
  }

  /** It stays open: the service may accept the job, now or later. */
  noteSent(id: string, sentAt: number | null): void {
    this.#run('UPDATE charges SET sent = ? WHERE id = ?', sentAt, id);
  }

  /** Of a POST that replaced another, the slot is again that of the other one. */
  free(id: string, replaced?: string): void {
    if (replaced !== undefined && !this.has(replaced))
      this.#run(`UPDATE charges SET id = ? WHERE id = ? AND state = 'open'`, replaced, id);
    this.#run(`DELETE FROM charges WHERE id = ? AND state = 'open'`, id);
  }

  note(account: Account, { remoteId, closedAt }: KnownJob, windowMs: number, now: Moment): boolean {
    const { service, address } = account;
    const known = this.#get(
      'SELECT 1 FROM charges WHERE service = ? AND address = ? AND remote_id = ?',
      ...[service, address, remoteId],
    );
    if (known) return false;
    // A time in the future was written before the clock was set back: it counts from now.
    const elapsed = Math.max(0, now.wallMs - closedAt);
    const at = { run: now.run, steadyMs: now.steadyMs - elapsed, wallMs: now.wallMs - elapsed };
    const id = `tree ${service} ${address} ${remoteId}`;
    const [state, origin] = ['charged', 'tree'] as const;
    this.#insert(account, { id, state, origin, keepMs: keepMs(windowMs), remoteId, ...at });
    return true;
  }

  of(account: Account, now: Moment): Charge[] {
    const since = now.steadyMs - REMEMBERED_MS - LATEST_ACCEPTANCE_MS;
    return this.#all(
      `SELECT * FROM charges WHERE service = ? AND address = ? AND credential = ? AND steady > ?
       ORDER BY steady, seq`,
      ...[account.service, account.address, account.credential, since],
    ).map((row) => ({
      id: String(row['id']),
      state: row['state'] === 'open' ? 'open' : 'charged',
      origin: row['origin'] as Charge['origin'],
      own: this.#isOwn(row),
      ageMs: now.steadyMs - Number(row['steady']),
      remoteId: row['remote_id'] === null ? null : String(row['remote_id']),
    }));
  }

  accounts(): Account[] {
    return this.#all(
      'SELECT DISTINCT service, address, credential FROM charges ORDER BY service, address, credential',
    ).map((row) => ({
      service: row['service'] as ServiceName,
      address: String(row['address']),
      credential: String(row['credential']),
    }));
  }

  addGap(now: Moment): void {
    this.#run(
      'INSERT INTO gaps (run, steady, wall) VALUES (?, ?, ?)',
      now.run,
      now.steadyMs,
      now.wallMs,
    );
  }

  gapAge({ steadyMs }: Moment): number | null {
    const at = this.#get('SELECT max(steady) AS at FROM gaps')?.['at'];
    return typeof at === 'number' && at > steadyMs - OPEN_KEPT_MS ? steadyMs - at : null;
  }

  /** While the window includes time before the ledger was recreated, it may be full. */
  unknownBefore(windows: readonly Window[], now: Moment): Full | null {
    const age = this.gapAge(now);
    if (age === null || windows.length === 0) return null;
    const wait = longestMs(windows) + GUARD_MS - age;
    if (wait <= 0) return null;
    return { type: 'full', retryAfterMs: Math.ceil(wait), byOthers: 0, because: 'unknown' };
  }

  /**
   * If the service counts more jobs than we can have sent, others use the credential. Counted from the reservation,
   * with all later reservations, so that jobs that were ours at any moment in between do not count as foreign.
   */
  #chargeForeignJobs(
    row: Row,
    { limit, remaining, windows }: NonNullable<AcceptedAnswer['rateLimit']>,
    now: Moment,
  ): void {
    if (row['state'] !== 'open' || remaining === null) return;
    const window = windows[windowMeant(windows, limit)];
    if (window === undefined || limit !== window.limit) return;
    const account = {
      service: row['service'] as ServiceName,
      address: String(row['address']),
      credential: String(row['credential']),
    };
    const ours = this.chargedSince(String(row['id']), account, window, now);
    const others = Math.min(limit, Math.max(0, limit - remaining - ours));
    for (let n = 0; n < others; n += 1) {
      const id = `service ${randomUUID()}`;
      const [state, origin] = ['charged', 'service'] as const;
      this.#insert(account, { id, state, origin, keepMs: Number(row['keep_ms']), ...now });
    }
  }

  #counted(account: Account, windows: readonly Window[], now: number): CountedRow[] {
    if (windows.length === 0) return [];
    const { service, address, credential } = account;
    const since = now - longestMs(windows) - GUARD_MS - LATEST_ACCEPTANCE_MS;
    return this.#all(
      `SELECT id, state, steady, origin, owner FROM charges
       WHERE service = ? AND address = ? AND credential = ? AND steady > ?`,
      ...[service, address, credential, since],
    ).map((row) => ({
      id: String(row['id']),
      state: row['state'] === 'open' ? 'open' : 'charged',
      steady: Number(row['steady']),
      own: this.#isOwn(row),
    }));
  }

  #isOwn(row: Row): boolean {
    return row['owner'] === this.#owner && row['origin'] === 'sent';
  }

  #insert({ service, address, credential }: Account, row: NewRow): void {
    this.#run(
      `INSERT INTO charges
         (id, service, address, credential, state, origin, owner, session, remote_id, keep_ms, run, steady, wall)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[row.id, service, address, credential, row.state, row.origin, this.#owner, this.#session],
      ...[row.remoteId ?? null, row.keepMs, row.run, row.steadyMs, row.wallMs],
    );
  }

  #get(sql: string, ...values: (string | number)[]): Row | undefined {
    return prepared(this.#database, sql).get(...values);
  }

  #all(sql: string, ...values: (string | number)[]): Row[] {
    return prepared(this.#database, sql).all(...values);
  }

  #run(sql: string, ...values: (string | number | null)[]): void {
    prepared(this.#database, sql).run(...values);
  }
}

interface CountedRow extends Counted {
  readonly id: string;
}

function timeOf(value: SQLOutputValue | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

interface NewRow extends Moment {
  readonly id: string;
  readonly state: Charge['state'];
  readonly origin: Charge['origin'];
  readonly keepMs: number;
  readonly remoteId?: string;
}

/** At least as long (ms), also for display: windows may be made longer. The budget remembers more (budget/charges.ts). */
const REMEMBERED_MS = 3_600_000;
/** Longer than the window: an open row leaves it later. */
const KEEP_LONGER_MS = LATEST_ACCEPTANCE_MS + GUARD_MS;

function keepMs(windowMs: number): number {
  return Math.max(REMEMBERED_MS, windowMs) + KEEP_LONGER_MS;
}
