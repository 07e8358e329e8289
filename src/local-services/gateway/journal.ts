/**
 * Every request that the gateway answered itself, beside the arrivals of `journal.ts`: the services never saw these.
 * Paths are kept without their query, which may hold a token (contract of the prediction service, 4.8).
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ServiceName } from '../../domain/item.ts';
import type { GatewayName } from './personalities.ts';

export interface GatewayEntry {
  /** ms since the epoch. */
  readonly at: number;
  /** The personality that answered. */
  readonly name: GatewayName;
  /** Whose address was asked: everything under `/acpype` is the molecule service's. */
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
