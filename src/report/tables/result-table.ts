/** One result table, written to its two files, which have the same rows. */
import type { TableFormat } from '../../store/layout.ts';
import { csvLine } from '../csv-table.ts';
import type { Column } from './column.ts';
import { freeMemory } from '../free-memory.ts';
import { OpenFile, type FileWriter } from '../open-file.ts';
import { ParquetGroups } from './parquet-groups.ts';
import type { ResultRows } from './result-rows.ts';

export class ResultTable {
  readonly #groups: ParquetGroups;
  readonly #csv: OpenFile;
  readonly #parquet: OpenFile;

  constructor(
    store: FileWriter,
    keyOf: (format: TableFormat) => string,
    columns: readonly Column[],
  ) {
    this.#groups = new ParquetGroups(columns);
    const header = csvLine(columns.map(({ name }) => name));
    this.#csv = new OpenFile(store, keyOf('csv'), Buffer.from(header));
    this.#parquet = new OpenFile(store, keyOf('parquet'));
  }

  /** The rows cannot be read afterwards: their memory is freed. */
  async add({ csv, slabs }: ResultRows): Promise<void> {
    await this.#csv.write(csv);
    freeMemory(csv);
    for (const slab of slabs) await this.#writeGroup(this.#groups.add(slab));
  }

  async end(): Promise<void> {
    await this.#writeGroup(this.#groups.end());
    // Flushing hundreds of megabytes to disk takes a second.
    await Promise.all([this.#csv.end(), this.#parquet.end()]);
  }

  async #writeGroup(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#parquet.write(bytes);
    freeMemory(bytes);
  }

  async abandon(reason: unknown): Promise<void> {
    await this.#csv.abandon(reason);
    await this.#parquet.abandon(reason);
  }
}
