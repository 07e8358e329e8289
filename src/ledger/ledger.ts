/**
 * The ledger of charges of one user on one machine: every submission is reserved in it just before its first byte, by
 * every server, folder and worker of the user. So two Temporal servers with one token, a lost `.hundredfold` or a clock
 * step cannot send more than the limit allows, even if each of them counts slots as free.
 *
 * It is the last check and does not plan: the budget workflow decides whose turn it is.
 *
 * Every method throws a HundredfoldError `LEDGER_UNUSABLE` when the file cannot be used (a full disk, a lock that is
 * never released): then nothing may be sent.
 *
 * A reservation is idempotent within one process. The same id from another process may be a second POST: it gets its
 * own slot.
 */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import type { Window } from '../budget/policy.ts';
import { ChargeRows } from './charge-rows.ts';
import type {
  Account,
  AcceptedAnswer,
  Charge,
  KnownJob,
  Rejection,
  Reservation,
  SeenRejection,
  ReservationRequest,
  WrittenAnswer,
} from './charge.ts';
import { RejectionRows } from './rejection-rows.ts';
import { inTransaction, isDamage, openDatabase, setAside } from './schema.ts';
import { systemClock, type Moment, type SteadyClock } from './steady-clock.ts';

interface LedgerOptions {
  /** The state folder (src/state). */
  readonly folder: string;
  /** The server whose budget makes the submissions; charges by others are shown separately. */
  readonly owner: string;
  readonly clock?: SteadyClock;
  /** Called once when the file was damaged and recreated. */
  readonly warn?: (message: string) => void;
}

export const LEDGER_FILE = 'ledger.db';

interface Opened {
  readonly database: DatabaseSync;
  /** The file that is open: its path may now belong to another file. */
  readonly file: string;
  readonly charges: ChargeRows;
  readonly rejections: RejectionRows;
  /** The current setting of the connection. */
  synchronous: 'FULL' | 'NORMAL' | null;
}

export class Ledger {
  readonly path: string;
  readonly #owner: string;
  /** Of this process: it must not close an open row of another session. */
  readonly #session = randomUUID();
  readonly #clock: SteadyClock;
  readonly #warn: (message: string) => void;
  #opened: Opened | null = null;
  /** Reserved and not closed by this process: if the file is removed meanwhile, they are charged in the new file. */
  readonly #onTheirWay = new Map<string, ReservationRequest>();

  constructor({ folder, owner, clock = systemClock(), warn = () => undefined }: LedgerOptions) {
    this.path = join(folder, LEDGER_FILE);
    this.#owner = owner;
    this.#clock = clock;
    this.#warn = warn;
  }

  /** Reserves a slot for one POST, or returns when to retry. The same id gets one slot, even if reserved again. */
  reserve(submission: ReservationRequest): Reservation {
    const reservation = this.#transaction<Reservation>(({ charges, rejections }, now) => {
      charges.tidy(now);
      const { id, windows } = submission;
      const known = charges.stateOf(id);
      if (known?.session === this.#session && known.state === 'open') return { type: 'taken' };
      const full =
        charges.unknownBefore(windows, now) ??
        rejections.held(submission, now) ??
        charges.full(submission, now);
      if (full) return full;
      if (known) charges.giveOtherId(id);
      charges.open(submission, now);
      return { type: 'taken' };
    }, submission.windows.length > 0);
    if (reservation.type === 'taken') this.#onTheirWay.set(submission.id, submission);
    return reservation;
  }

  /**
   * The POST has ended: `charged` if a job was or may have been created, `free` if certainly none was. If the answer
   * reveals jobs from elsewhere, they are charged as well.
   */
  close(id: string, as: 'charged' | 'free', answer: AcceptedAnswer = {}): void {
    if (as === 'free') {
      this.free(id);
      return;
    }
    this.#transaction(({ charges }, now) => {
      const submission = this.#onTheirWay.get(id);
      if (submission && !charges.has(id)) charges.open(submission, now);
      charges.charge(id, answer, now);
    });
    this.#onTheirWay.delete(id);
  }

  /** The POST created no job. `replaced`: the POST of unknown fate whose slot it used, and which has it again. */
  free(id: string, replaced?: string): void {
    this.#transaction(({ charges }) => {
      charges.free(id, replaced);
    });
    this.#onTheirWay.delete(id);
  }

  /** The POST has ended, and its fate is unknown: its slot counts as long as the service may accept the job. */
  leave(id: string, sentAt: number | null): void {
    this.#transaction(({ charges }) => {
      charges.noteSent(id, sentAt);
    });
    this.#onTheirWay.delete(id);
  }

  /** What an earlier process, or this one, has written of the answer to a POST; null if nothing. */
  answerOf(id: string): WrittenAnswer | null {
    return this.#transaction(({ charges }) => charges.answerOf(id));
  }

  /**
   * The service answered 429 to this submission, which ends it without a job. Until `retryAfterMs` has passed, no
   * process on this machine submits with the credential. `counts`: the service counts it nevertheless.
   */
  reject(id: string, post: RejectedPost): void {
    const { account, windows, retryAfterMs, serviceLimit, replaced, counts } = post;
    this.#transaction(({ charges, rejections }, now) => {
      const used = windows.map((window) => ({
        limit: window.limit,
        charged: charges.chargedSince(id, account, window, now) - 1,
      }));
      if (counts) charges.charge(id, {}, now);
      else charges.free(id, replaced);
      // The window that was nearest to its limit.
      const [fullest = { limit: null, charged: 0 }] = used.sort(
        (a, b) => a.limit - a.charged - (b.limit - b.charged),
      );
      const type = explain(fullest, serviceLimit);
      const holdMs = Math.min(retryAfterMs ?? 0, LONGEST_HOLD_MS);
      rejections.add(account, { type, ...fullest, serviceLimit, holdMs }, now);
    });
    this.#onTheirWay.delete(id);
  }

  /** The charges of an account in its last hour, for display. */
  charges(account: Account): readonly Charge[] {
    return this.#transaction(({ charges }, now) => charges.of(account, now));
  }

  /** All accounts that have charges. */
  accounts(): readonly Account[] {
    return this.#transaction(({ charges }) => charges.accounts());
  }

  /** The 429 answers of the last hours, newest first, that are not explained by a full window of ours. */
  rejections(): readonly SeenRejection[] {
    return this.#transaction(({ rejections }, now) => rejections.unexplained(now));
  }

  /**
   * Charges jobs that are known from elsewhere, for example an output tree. A job already known by its remote id is not
   * charged again. Returns the number of new ones.
   */
  note(account: Account, jobs: readonly KnownJob[], windowMs: number): number {
    return this.#transaction(({ charges }, now) => {
      let noted = 0;
      for (const job of jobs) if (charges.note(account, job, windowMs, now)) noted += 1;
      return noted;
    });
  }

  /** When the ledger was found damaged and recreated, as elapsed ms; null if never or long ago. */
  begunAgain(): number | null {
    return this.#transaction(({ charges }, now) => charges.gapAge(now));
  }

  stop(): void {
    this.#opened?.database.close();
    this.#opened = null;
  }

  #transaction<T>(work: (opened: Opened, now: Moment) => T, atOnce = false): T {
    try {
      return this.#once(work, atOnce);
    } catch (error) {
      if (!isDamage(error)) throw unusable(this.path, error);
    }
    try {
      this.#beginAgain();
      return this.#once(work, atOnce);
    } catch (error) {
      throw unusable(this.path, error);
    }
  }

  /** `atOnce`: on disk before it returns, so that a power cut does not lose a job whose first byte is sent next. */
  #once<T>(work: (opened: Opened, now: Moment) => T, atOnce = false): T {
    const opened = this.#current();
    const synchronous = atOnce ? 'FULL' : 'NORMAL';
    if (opened.synchronous !== synchronous) {
      opened.database.exec(`PRAGMA synchronous = ${synchronous}`);
      opened.synchronous = synchronous;
    }
    return inTransaction(opened.database, () => {
      // Read while the lock is held, so that times in the file are in order.
      const now = this.#clock.now();
      opened.charges.anchor(now);
      opened.rejections.anchor(now);
      return work(opened, now);
    });
  }

  /** The file at the path: another process may have moved ours aside, or it was removed. */
  #current(): Opened {
    if (this.#opened && this.#opened.file === fileAt(this.path)) return this.#opened;
    this.stop();
    const database = openDatabase(this.path);
    this.#opened = {
      database,
      file: fileAt(this.path) ?? '',
      charges: new ChargeRows(database, { owner: this.#owner, session: this.#session }),
      rejections: new RejectionRows(database),
      synchronous: null,
    };
    return this.#opened;
  }

  /** Earlier charges are unknown: until they have left every window, nothing is sent under a limit. */
  #beginAgain(): void {
    const before = this.#opened?.file;
    this.stop();
    if (before !== undefined && before !== fileAt(this.path)) return;
    const aside = setAside(this.path, this.#clock.now().wallMs);
    this.#once(({ charges }, now) => {
      charges.addGap(now);
    });
    this.#warn(
      `the ledger of submissions ${this.path} was damaged and is now ${aside}. Earlier submissions are not known, so ` +
        'nothing is sent until the window of each service has passed. If you know that nothing was sent, remove ' +
        `${this.path}.`,
    );
  }
}

interface RejectedPost {
  readonly account: Account;
  readonly windows: readonly Window[];
  /** The delay that the service requested; null if it requested none. */
  readonly retryAfterMs: number | null;
  /** X-RateLimit-Limit of the answer; null if there was none. */
  readonly serviceLimit: number | null;
  /** As in `Ledger.free`. */
  readonly replaced?: string | undefined;
  readonly counts: boolean;
}

/** After this long (ms) we retry, whatever the service requests: one odd answer must not block a night. */
const LONGEST_HOLD_MS = 3_600_000;

function explain(
  { charged, limit }: { readonly charged: number; readonly limit: number | null },
  serviceLimit: number | null,
): Rejection {
  if (limit === null || charged >= limit) return 'explained';
  if (serviceLimit !== null && serviceLimit < limit) return 'lower-limit';
  // Or the ceiling of the address is reached, which the headers do not show.
  return 'someone-else';
}

/** Device and inode: distinguish files of the same name. */
function fileAt(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.dev} ${stat.ino}` : null;
}

function unusable(path: string, cause: unknown): HundredfoldError {
  if (cause instanceof HundredfoldError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return codedError('LEDGER_UNUSABLE', { path, reason }, cause);
}
