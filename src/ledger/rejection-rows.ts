/** The 429 answers in the file, with the delay requested by the service. Runs in the transaction of its caller. */
import type { DatabaseSync } from 'node:sqlite';
import type { ServiceName } from '../domain/item.ts';
import { anchorRows, prepared } from './schema.ts';
import type { Account, Rejection, Reservation, SeenRejection } from './charge.ts';
import type { Moment } from './steady-clock.ts';

/** How long (ms) they are kept for display. */
const KEPT_MS = 24 * 3_600_000;
const SHOWN = 100;

interface Rejected429 {
  readonly type: Rejection;
  readonly charged: number;
  readonly limit: number | null;
  readonly serviceLimit: number | null;
  /** The delay that the service requested. */
  readonly holdMs: number;
}

export class RejectionRows {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  anchor(now: Moment): void {
    anchorRows(this.#database, 'rejections', now);
  }

  add({ service, address, credential }: Account, rejected: Rejected429, now: Moment): void {
    this.#database.prepare('DELETE FROM rejections WHERE steady < ?').run(now.steadyMs - KEPT_MS);
    this.#database
      .prepare(
        `INSERT INTO rejections
           (service, address, credential, type, charged, job_limit, service_limit, hold_ms, run, steady, wall)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ...[service, address, credential, rejected.type, Math.max(0, rejected.charged)],
        ...[
          rejected.limit,
          rejected.serviceLimit,
          rejected.holdMs,
          now.run,
          now.steadyMs,
          now.wallMs,
        ],
      );
  }

  /** While the delay of a Retry-After lasts, for the whole machine. */
  held({ service, address, credential }: Account, now: Moment): Full | null {
    const until = prepared(
      this.#database,
      `SELECT max(steady + hold_ms) AS until FROM rejections
       WHERE service = ? AND address = ? AND credential = ?`,
    ).get(service, address, credential)?.['until'];
    const wait = typeof until === 'number' ? until - now.steadyMs : 0;
    if (wait <= 0) return null;
    return { type: 'full', retryAfterMs: Math.ceil(wait), byOthers: 0, because: 'rejected' };
  }

  unexplained(now: Moment): SeenRejection[] {
    const rows = this.#database
      .prepare(
        `SELECT * FROM rejections WHERE type <> 'explained' AND steady > ? ORDER BY steady DESC LIMIT ?`,
      )
      .all(now.steadyMs - KEPT_MS, SHOWN);
    const numberOrNull = (value: unknown) => (typeof value === 'number' ? value : null);
    return rows.map((row) => ({
      service: row['service'] as ServiceName,
      address: String(row['address']),
      credential: String(row['credential']),
      type: row['type'] as Rejection,
      ageMs: now.steadyMs - Number(row['steady']),
      charged: Number(row['charged']),
      limit: numberOrNull(row['job_limit']),
      serviceLimit: numberOrNull(row['service_limit']),
    }));
  }
}

type Full = Extract<Reservation, { type: 'full' }>;
