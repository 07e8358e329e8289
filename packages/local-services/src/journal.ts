/**
 * Every submission that arrived, whether accepted or not: the base of the rolling window, and of test assertions about
 * the window and duplicates. Tokens are stored only as digests.
 */
import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ServiceName } from './contract.ts';
import type { RequestType } from './jobs.ts';

export interface JournalEntry {
  readonly service: ServiceName;
  readonly endpoint: RequestType;
  /** The service's time stamp of the arrival, ms since the epoch, which counts for the window. */
  readonly at: number;
  /** The first 12 hex digits of the token's SHA-256; null if no token was read. */
  readonly token: string | null;
  readonly address: string;
  readonly jobName: string | null;
  readonly accepted: boolean;
  /** The HTTP status of the response; 0 if a fault sent none. */
  readonly status: number;
  readonly requestId: string | null;
}

interface Arrival extends Omit<JournalEntry, 'token'> {
  readonly owner: string | null;
}

/** The representation of a token in the database. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export class Journal {
  readonly #insert: StatementSync;
  readonly #list: StatementSync;
  readonly #count: Record<'owner' | 'address', { total: StatementSync; freeing: StatementSync }>;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      `INSERT INTO arrivals (service, endpoint, at, owner, address, job_name, accepted, status, request_id)
       VALUES (:service, :endpoint, :at, :owner, :address, :jobName, :accepted, :status, :requestId)`,
    );
    this.#list = database.prepare(
      `SELECT service, endpoint, at, owner, address, job_name AS jobName, accepted, status, request_id AS requestId
       FROM arrivals ORDER BY n`,
    );
    const counting = (column: 'owner' | 'address') => {
      const where = `FROM arrivals WHERE accepted = 1 AND service = :service AND ${column} = :value AND at > :since`;
      return {
        total: database.prepare(`SELECT COUNT(*) AS n ${where}`),
        freeing: database.prepare(`SELECT at ${where} ORDER BY at LIMIT 1 OFFSET :rank`),
      };
    };
    this.#count = { owner: counting('owner'), address: counting('address') };
  }

  record(arrival: Arrival): void {
    this.#insert.run({ ...arrival, accepted: arrival.accepted ? 1 : 0 });
  }

  /**
   * Whether another job fits into the rolling window of a token or an address (contract of the prediction service, 8): a
   * job accepted at t takes a slot in (t, t + window]. `remaining` is before this job is counted.
   */
  judge(
    column: 'owner' | 'address',
    { service, value, at: now }: { service: ServiceName; value: string; at: number },
    limit: number,
    windowMs: number,
  ) {
    const { total, freeing } = this.#count[column];
    const values = { service, value, since: now - windowMs };
    const accepted = Number(total.get(values)?.['n']);
    // The oldest job frees the next slot, unless the window has more jobs than the limit, because that was lowered.
    const rank = Math.max(0, accepted - limit);
    const at = freeing.get({ ...values, rank })?.['at'];
    const wait = typeof at === 'number' ? Math.max(0, at + windowMs - now) : 0;
    return {
      allowed: accepted < limit,
      remaining: Math.max(0, limit - accepted),
      // Until the next slot is free, rounded up: a client that waits is never too early.
      resetAfterSeconds: Math.ceil(wait / 1000),
    };
  }

  entries(): JournalEntry[] {
    // The table is STRICT and only `record` writes it.
    const rows = this.#list.all() as unknown as (Omit<Arrival, 'accepted'> & {
      accepted: number;
    })[];
    return rows.map(({ owner, accepted, ...rest }) => {
      return { ...rest, accepted: accepted === 1, token: owner?.slice(0, 12) ?? null };
    });
  }
}
