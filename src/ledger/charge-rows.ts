/** The charges in the file. Every method runs inside the transaction of its caller. */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { GUARD_MS, REMEMBERED_MS, type Limit } from '../budget/window.ts';
import type { ServiceName } from '../domain/item.ts';
import { LONGEST_POST_MS } from '../domain/longest-post.ts';
import type {
  Account,
  AcceptedAnswer,
  Charge,
  KnownJob,
  Reservation,
  ReservationRequest,
  Windows,
} from './charge.ts';
import { counts, fullness, type Counted } from './fullness.ts';
import { anchorRows } from './anchor-rows.ts';
import { prepared } from './prepared.ts';
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
    const { credential, address } = submission.windows;
    const found = [
      fullness(this.#counted(submission, credential, steadyMs, true), credential, steadyMs),
      fullness(this.#counted(submission, address, steadyMs, false), address, steadyMs),
    ].filter((one) => one !== null);
    if (found.length === 0) return null;
    const retryAfterMs = Math.max(...found.map((one) => one.retryAfterMs));
    const byOthers = Math.max(...found.map((one) => one.byOthers));
    return { type: 'full', retryAfterMs, byOthers, because: 'window' };
  }

  open(submission: ReservationRequest, now: Moment): void {
    const { id, windows } = submission;
    const [keep, windowMs] = [keepMs(windows), countedMs(windows)];
    this.#insert(submission, { id, state: 'open', origin: 'sent', keepMs: keep, windowMs, ...now });
  }

  /** How many of an account's charges count in a window that ends when `id` was reserved; includes `id`. */
  chargedSince(id: string, account: Account, limit: Limit, now: Moment): number {
    const reserved = this.#get('SELECT steady FROM charges WHERE id = ?', id);
    const since = Math.min(now.steadyMs, Number(reserved?.['steady'] ?? now.steadyMs));
    const rows = this.#counted(account, limit, since, true);
    return rows.filter((row) => counts(row, limit, since)).length;
  }

  has(id: string): boolean {
    return this.#get('SELECT 1 FROM charges WHERE id = ?', id) !== undefined;
  }

  charge(id: string, answer: AcceptedAnswer, now: Moment): void {
    const { remoteId, rateLimit, sentAt, answeredAt } = answer;
    const row = this.#get('SELECT * FROM charges WHERE id = ?', id);
    if (row === undefined) return;
    if (rateLimit) this.#chargeForeignJobs(row, rateLimit, now);
    this.#run(
      `UPDATE charges SET state = 'charged', remote_id = ?, sent = ?, answered = ?,
         run = ?, steady = ?, wall = ? WHERE id = ?`,
      ...[remoteId ?? null, sentAt ?? null, answeredAt ?? null],
      ...[now.run, now.steadyMs, now.wallMs, id],
    );
  }

  free(id: string): void {
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
    const keep = keepMs({
      credential: { limit: null, windowMs },
      address: { limit: null, windowMs },
    });
    const [state, origin] = ['charged', 'tree'] as const;
    this.#insert(account, { id, state, origin, keepMs: keep, windowMs, remoteId, ...at });
    return true;
  }

  of(account: Account, now: Moment): Charge[] {
    const since = now.steadyMs - REMEMBERED_MS - LONGEST_POST_MS;
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

  /** While a window includes time before the ledger was recreated, it may be full. */
  unknownBefore({ credential, address }: Windows, now: Moment): Full | null {
    const age = this.gapAge(now);
    if (age === null) return null;
    const limited = [credential, address].filter(({ limit }) => limit !== null);
    const wait = Math.max(0, ...limited.map(({ windowMs }) => windowMs + GUARD_MS)) - age;
    if (wait <= 0) return null;
    return { type: 'full', retryAfterMs: Math.ceil(wait), byOthers: 0, because: 'unknown' };
  }

  /**
   * If the service counts more jobs than we can have sent, others use the credential. Counted from the reservation,
   * with all later reservations, so that jobs that were ours at any moment in between do not count as foreign.
   */
  #chargeForeignJobs(
    row: Row,
    { limit, remaining, configured }: NonNullable<AcceptedAnswer['rateLimit']>,
    now: Moment,
  ): void {
    if (row['state'] !== 'open' || remaining === null) return;
    if (limit === null || limit !== configured.limit) return;
    const account = {
      service: row['service'] as ServiceName,
      address: String(row['address']),
      credential: String(row['credential']),
    };
    const ours = this.chargedSince(String(row['id']), account, configured, now);
    const others = Math.min(limit, Math.max(0, limit - remaining - ours));
    for (let n = 0; n < others; n += 1) {
      const id = `service ${randomUUID()}`;
      const [state, origin] = ['charged', 'service'] as const;
      const [keep, windowMs] = [Number(row['keep_ms']), configured.windowMs];
      this.#insert(account, { id, state, origin, keepMs: keep, windowMs, ...now });
    }
  }

  #counted(account: Account, limit: Limit, now: number, ofCredential: boolean): Counted[] {
    if (limit.limit === null) return [];
    const { service, address, credential } = account;
    const since = now - limit.windowMs - GUARD_MS - LONGEST_POST_MS;
    const rows = ofCredential
      ? this.#all(
          `SELECT state, steady, origin, owner FROM charges
           WHERE service = ? AND address = ? AND credential = ? AND steady > ?`,
          ...[service, address, credential, since],
        )
      : this.#all(
          `SELECT state, steady, origin, owner FROM charges
           WHERE service = ? AND address = ? AND steady > ?`,
          ...[service, address, since],
        );
    return rows.map((row) => ({
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
         (id, service, address, credential, state, origin, owner, session, remote_id, keep_ms, window_ms, run, steady, wall)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[row.id, service, address, credential, row.state, row.origin, this.#owner, this.#session],
      ...[row.remoteId ?? null, row.keepMs, row.windowMs, row.run, row.steadyMs, row.wallMs],
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

interface NewRow extends Moment {
  readonly id: string;
  readonly state: Charge['state'];
  readonly origin: Charge['origin'];
  readonly keepMs: number;
  readonly windowMs: number | null;
  readonly remoteId?: string;
}

/** Longer than the window: an open row leaves it later, and limits may be changed while it runs. */
const KEEP_LONGER_MS = LONGEST_POST_MS + GUARD_MS;

function keepMs({ credential, address }: Windows): number {
  return Math.max(REMEMBERED_MS, credential.windowMs, address.windowMs) + KEEP_LONGER_MS;
}

/** The longest window in which a charge counts; null if there is no limit. */
function countedMs({ credential, address }: Windows): number | null {
  const limited = [credential, address].filter(({ limit }) => limit !== null);
  return limited.length === 0 ? null : Math.max(...limited.map(({ windowMs }) => windowMs));
}
