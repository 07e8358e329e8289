/** The four result tables of a campaign, in `tables/`. */
import { KINDS, type Kind } from '../../domain/item.ts';
import { resultTableKey, type TableFormat } from '../../store/layout.ts';
import { type FileWriter, OpenFile } from '../open-file.ts';
import type { ItemParts, PartsSink } from '../result-pass.ts';
import { tableColumns, type OwnColumnsByKind, type ResultRows } from './result-rows.ts';
import { csvLine } from '../csv-table.ts';
import type { Column } from './column.ts';
import { ParquetGroups } from './parquet-groups.ts';

/** All four are written; with only a header if the campaign has no such result. */
export class ResultTables implements PartsSink {
  readonly #tables: ReadonlyMap<Kind, ResultTable>;

  constructor(store: FileWriter, own: OwnColumnsByKind) {
    this.#tables = new Map(
      KINDS.map((kind) => {
        const keyOf = (format: TableFormat): string => resultTableKey(kind, format);
        return [kind, new ResultTable(store, keyOf, tableColumns(kind, own))];
      }),
    );
  }

  async add({ item: { record }, parts: { rows } }: ItemParts): Promise<void> {
    if (record === null || rows === null) return;
    await this.#tables.get(record.kind)?.add(rows);
  }

  async end(): Promise<void> {
    await Promise.all(Array.from(this.#tables.values(), (table) => table.end()));
  }

  async abandon(reason: unknown): Promise<void> {
    for (const table of this.#tables.values()) await table.abandon(reason);
  }
}

/** One result table, written to its two files, which have the same rows. */
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

  async add({ csv, slabs }: ResultRows): Promise<void> {
    await this.#csv.write(csv);
    for (const slab of slabs) await this.#parquet.write(this.#groups.add(slab));
  }

  async end(): Promise<void> {
    await this.#parquet.write(this.#groups.end());
    // Flushing hundreds of megabytes to disk takes a second.
    await Promise.all([this.#csv.end(), this.#parquet.end()]);
  }

  async abandon(reason: unknown): Promise<void> {
    await this.#csv.abandon(reason);
    await this.#parquet.abandon(reason);
  }
}
