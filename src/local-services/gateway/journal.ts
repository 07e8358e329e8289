/**
 * Every request that the gateway responded to itself, in addition to the arrivals of `journal.ts`: the services never
 * saw these. Paths are stored without their query, which may contain a token (contract of the prediction service, 4.8).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ServiceName } from '../../domain/item.ts';
import type { GatewayName } from './personalities.ts';

export interface GatewayEntry {
  /** ms since the epoch. */
  readonly at: number;
  /** The personality that responded. */
  readonly name: GatewayName;
  /** The service of the requested address: everything under `/acpype` is the molecule service's. */
  readonly service: ServiceName;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export class GatewayJournal {
  readonly #insert: StatementSync;
  readonly #list: StatementSync;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      `INSERT INTO gateway (at, name, service, method, path, status)
       VALUES (:at, :name, :service, :method, :path, :status)`,
    );
    this.#list = database.prepare(
      'SELECT at, name, service, method, path, status FROM gateway ORDER BY n',
    );
  }

  record(entry: GatewayEntry): void {
    this.#insert.run({ ...entry });
  }

  entries(): GatewayEntry[] {
    // The table is STRICT and only `record` writes it.
    return this.#list.all() as unknown as GatewayEntry[];
  }
}
