/**
 * Every submission that arrived, whether accepted or not: the base of the rolling window, and of test assertions about
 * the window and duplicates. Tokens are stored only as digests.
 */
import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ServiceName } from '../domain/item.ts';
import type { RequestType } from './job.ts';
import { freeingRank, windowStart, type RateLimit, type WindowCount } from './rate-limit.ts';

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
export function ownerOf(token: string): string {
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

  /** The content of a token's or an address's rolling window at `now`. */
  windowOf(
    column: 'owner' | 'address',
    service: ServiceName,
    value: string,
    limit: RateLimit,
    now: number,
  ): WindowCount {
    if (limit.limit === 0) return { accepted: 0, freeing: null };
    const { total, freeing } = this.#count[column];
    const values = { service, value, since: windowStart(limit, now) };
    const accepted = Number(total.get(values)?.['n']);
    const at = freeing.get({ ...values, rank: freeingRank(limit, accepted) })?.['at'];
    return { accepted, freeing: typeof at === 'number' ? at : null };
  }

  entries(): JournalEntry[] {
    return this.#list.all().map((row) => {
      // The table is STRICT and only `record` writes it.
      const arrival = row as unknown as Omit<Arrival, 'accepted'> & { accepted: number };
      const { owner, accepted, ...rest } = arrival;
      return {
        ...rest,
        accepted: accepted === 1,
        token: owner === null ? null : owner.slice(0, 12),
      };
    });
  }
}
