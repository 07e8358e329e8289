/**
 * The ledger of charges of one user on one machine: every submission is reserved in it just before its first byte, by
 * every server, folder and worker of the user. So two Temporal servers with one token, a lost `.hundredfold` or a clock
 * step cannot send more than the limit allows, even if each of them counts slots as free. It is the last check and does
 * not plan: the budget workflow decides whose turn it is. Why it is exact: docs/reliability.md, "One machine, one ledger".
 *
 * Every method throws a HundredfoldError `LEDGER_UNUSABLE` when the file cannot be used (a full disk, a lock that is
 * never released): then nothing may be sent.
 */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { computeLongestMs, findRoomInWindow, type Usage, type Window } from '../budget/policy.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { LATEST_ACCEPTANCE_MS } from '../domain/limits.ts';
import {
  type Account,
  type KnownJob,
  type ReservationRequest,
  type WrittenAnswer,
  runInTransaction,
  isDamage,
  openDatabase,
  Rows,
  setAside,
} from './rows.ts';
import { createSystemClock, type SteadyClock } from './steady-clock.ts';

export type Reservation =
  /** Under a new id. */
  | { readonly type: 'taken'; readonly id: string }
  | {
      readonly type: 'full';
      /** How long to wait before another attempt, in ms, at least 1. */
      readonly retryAfterMs: number;
      /** The last that has a slot again. */
      readonly window: Window;
      /** The ledger was damaged, and what counts in this window is not known. */
      readonly isUnknown: boolean;
    };

interface LedgerOptions {
  /** The state folder (src/state.ts). */
  readonly folder: string;
  readonly clock?: SteadyClock;
  /** Called once when the file was damaged and recreated. */
  readonly warn?: (message: string) => void;
}

export const LEDGER_FILE = 'ledger.db';

/** While a request in progress may be refused and free its slot at any moment, retry this soon (ms). */
export const ASK_AGAIN_MS = 1_000;

/** How often (ms) expired rows are removed. */
const TIDY_INTERVAL_MS = 60_000;

interface Opened {
  readonly database: DatabaseSync;
  /** The file that is open: its path may now belong to another file. */
  readonly file: string;
}

export class Ledger {
  readonly path: string;
  readonly #clock: SteadyClock;
  readonly #warn: (message: string) => void;
  #opened: Opened | null = null;
  #tidiedAt = Number.NEGATIVE_INFINITY;

  constructor({ folder, clock = createSystemClock(), warn = () => undefined }: LedgerOptions) {
    this.path = join(folder, LEDGER_FILE);
    this.#clock = clock;
    this.#warn = warn;
  }

  /** Reserves a slot for one attempt at a POST, or returns when to retry. */
  reserve(request: ReservationRequest): Reservation {
    return this.#transaction<Reservation>((rows) => {
      const { windows, replaces } = request;
      const { steadyMs } = rows.now;
      if (steadyMs >= this.#tidiedAt + TIDY_INTERVAL_MS) {
        rows.tidy();
        this.#tidiedAt = steadyMs;
      }
      const full =
        windows.length > 0 &&
        findFullWindow(rows.usage(request, windows, replaces), windows, steadyMs);
      if (full) return full;
      const id = randomUUID();
      rows.open(id, request, computeLongestMs(windows));
      return { type: 'taken', id };
    });
  }

  /** The attempt created no job. `replaced`: the claim of unknown outcome whose slot it used, and which has it again. */
  free(id: string, replaced?: string): void {
    this.#transaction((rows) => rows.free(id, replaced));
  }

  /** A job was or may have been created (`remoteId` null): it counts from now, once for all attempts. */
  charge(claim: string, remoteId: string | null): void {
    this.#transaction((rows) => rows.charge(claim, remoteId));
  }

  /** What an earlier process, or this one, has written of the answer to a submission; null if nothing. */
  readAnswer(claim: string): WrittenAnswer | null {
    return this.#transaction((rows) => rows.readAnswer(claim));
  }

  /**
   * Charges jobs that are known from elsewhere, for example an output tree. A job already known by its remote id is not
   * charged again. Returns the number of new ones.
   */
  note(account: Account, jobs: readonly KnownJob[], windowMs: number): number {
    return this.#transaction((rows) => {
      return jobs.filter((job) => rows.note(account, job, windowMs)).length;
    });
  }

  /** How long ago (ms) each submission counts from, at the latest: of all that may still count in this window. */
  listAges(account: Account, windowMs: number): number[] {
    return this.#transaction((rows) => {
      const { closes, inFlight } = rows.usage(account, [{ limit: Infinity, windowMs }]);
      const { steadyMs } = rows.now;
      const ended = closes.flatMap(([at, jobs]) => Array<number>(jobs).fill(steadyMs - at));
      return [...ended, ...Array<number>(inFlight).fill(-LATEST_ACCEPTANCE_MS)];
    });
  }

  /** The accounts with a submission in the last hour, and how many there were, for display. */
  list(): readonly (Account & { readonly submissions: number })[] {
    return this.#transaction((rows) => rows.countSubmissions());
  }

  /** How long ago (ms) the ledger was found damaged and was recreated; null if never. */
  readRecreationAge(): number | null {
    return this.#transaction((rows) => {
      const { gapAt, now } = rows;
      return gapAt === null ? null : now.steadyMs - gapAt;
    });
  }

  stop(): void {
    this.#opened?.database.close();
    this.#opened = null;
  }

  #transaction<T>(work: (rows: Rows) => T): T {
    try {
      return this.#runOnce(work);
    } catch (error) {
      if (!isDamage(error)) throw createUnusableError(this.path, error);
    }
    try {
      this.#recreate();
      return this.#runOnce(work);
    } catch (error) {
      throw createUnusableError(this.path, error);
    }
  }

  #runOnce<T>(work: (rows: Rows) => T): T {
    const { database } = this.#openCurrent();
    // The clock is read while the lock is held, so that times in the file are in order.
    return runInTransaction(database, () => {
      const rows = new Rows(database, this.#clock.now());
      rows.anchor();
      return work(rows);
    });
  }

  /** The file at the path: another process may have moved ours aside, or it was removed. */
  #openCurrent(): Opened {
    if (this.#opened && this.#opened.file === identifyFile(this.path)) return this.#opened;
    this.stop();
    const database = openDatabase(this.path);
    this.#opened = { database, file: identifyFile(this.path) ?? '' };
    return this.#opened;
  }

  /** Earlier charges are unknown: until they have left every window, nothing is sent under a limit. */
  #recreate(): void {
    const before = this.#opened?.file;
    this.stop();
    if (before !== undefined && before !== identifyFile(this.path)) return;
    const aside = setAside(this.path, this.#clock.now().wallMs);
    this.#runOnce((rows) => rows.addGap());
    this.#warn(
      `the ledger of submissions ${this.path} was damaged and is now ${aside}. Earlier submissions are not known, so ` +
        'nothing is sent until the window of each service has passed. If you know that nothing was sent, remove ' +
        `${this.path}.`,
    );
  }
}

/** null: every window has a slot. */
function findFullWindow(
  usage: Usage,
  windows: readonly Window[],
  now: number,
): Extract<Reservation, { readonly type: 'full' }> | null {
  const [last] = windows
    .map((window) => ({ window, ...findRoomInWindow(window, usage, now) }))
    .filter(({ free }) => free === 0)
    .sort((a, b) => b.nextAt - a.nextAt);
  if (!last) return null;
  const { window, nextAt } = last;
  const { unknownBefore: _, ...known } = usage;
  const isUnknown = findRoomInWindow(window, known, now).nextAt < nextAt;
  // With a limit of 0, no slot will become free.
  const due = Number.isFinite(nextAt) ? nextAt - now : computeLongestMs(windows);
  const wait = usage.inFlight > 0 ? Math.min(due, ASK_AGAIN_MS) : due;
  return { type: 'full', retryAfterMs: Math.max(1, Math.ceil(wait)), window, isUnknown };
}

/** Device and inode: distinguish files of the same name. */
function identifyFile(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.dev} ${stat.ino}` : null;
}

function createUnusableError(path: string, cause: unknown): HundredfoldError {
  if (cause instanceof HundredfoldError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new HundredfoldError(
    'LEDGER_UNUSABLE',
    `the ledger of submissions ${path} cannot be used: ${reason}`,
    'Free disk space, or set HUNDREDFOLD_STATE_DIR to a writable folder; nothing is sent until then.',
    { cause },
  );
}
