/** The tables of a campaign in `tables/`: the results of each kind, and the measures of its items. */
import type { Kind } from '../domain/item.ts';
import type { Cells } from '../kinds/kind.ts';
import { allKinds, type AnyKind, kindOf } from '../kinds/registry.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { tableKey, writtenKinds } from '../store/layout.ts';
import { csvLine } from './csv-table.ts';
import { type FileWriter, OpenFile } from './writer.ts';
import { ParquetFile } from './parquet.ts';
import type { PublishedItem, Writer } from './writer.ts';
import { csvRows, measureCells, RowMaker, type TableOf } from './result-rows.ts';

interface TableColumns {
  readonly name: string;
  readonly of: TableOf;
  readonly rows: RowMaker;
}

/** The columns of all result tables, which every item is told to before the first row. */
export class ResultColumns {
  readonly #tables = new Map(allKinds().map((kind) => [kind.name, tablesOf(kind)]));
  readonly #kinds = new Set<Kind>();

  add(record: ItemRecord): void {
    this.#kinds.add(record.kind);
    for (const { rows } of this.#tables.get(record.kind) ?? []) rows.addColumns(record);
  }

  /** Of the kinds whose tables are written. */
  tables(): ReadonlyMap<Kind, readonly TableColumns[]> {
    const kinds = writtenKinds([...this.#kinds]);
    return new Map(kinds.map((kind) => [kind, this.#tables.get(kind) ?? []]));
  }
}

function tablesOf(kind: AnyKind): readonly TableColumns[] {
  const { table, measuresTable } = kind;
  const results = { name: table.name, of: 'results', rows: new RowMaker(kind, 'results') } as const;
  if (measuresTable === null) return [results];
  return [results, { name: measuresTable, of: 'measures', rows: new RowMaker(kind, 'measures') }];
}

/** With only a header if the campaign has no such result. */
export class ResultTables implements Writer {
  readonly #tables: ReadonlyMap<Kind, readonly ResultTable[]>;

  constructor(files: FileWriter, columns: ResultColumns) {
    this.#tables = new Map(
      Array.from(columns.tables(), ([kind, tables]) => [
        kind,
        tables.map((table) => new ResultTable(files, table)),
      ]),
    );
  }

  async add({ item: { record }, reading, measures }: PublishedItem): Promise<void> {
    if (record === null || reading === null || measures === null) return;
    const kind = kindOf(record.kind);
    for (const table of this.#tables.get(kind.name) ?? []) {
      const isOfResults = table.of === 'results';
      const cells = isOfResults ? kind.table.rows(reading, record) : [measureCells(kind, measures)];
      await table.add(record, cells);
    }
  }

  async end(): Promise<void> {
    // Flushing hundreds of megabytes to disk takes a second.
    await Promise.all(this.#all().map((table) => table.end()));
  }

  async abandon(reason: unknown): Promise<void> {
    for (const table of this.#all()) await table.abandon(reason);
  }

  #all(): readonly ResultTable[] {
    return [...this.#tables.values()].flat();
  }
}

/** One result table, written to its two files, which have the same rows. */
class ResultTable {
  readonly of: TableOf;
  readonly #rows: RowMaker;
  readonly #groups: ParquetFile;
  readonly #csv: OpenFile;
  readonly #parquet: OpenFile;
  /** The header, until the first row. */
  #beginning: string;

  constructor(files: FileWriter, { name, of, rows }: TableColumns) {
    this.of = of;
    this.#rows = rows;
    this.#groups = new ParquetFile(rows.columns);
    this.#csv = new OpenFile(files, tableKey(name, 'csv'));
    this.#parquet = new OpenFile(files, tableKey(name, 'parquet'));
    this.#beginning = csvLine(rows.columns.map((column) => column.name));
  }

  async add(record: ItemRecord, results: readonly Cells[]): Promise<void> {
    const blocks = this.#rows.blocks(record, results);
    await this.#csv.write(Buffer.from(this.#beginning + blocks.map(csvRows).join('')));
    this.#beginning = '';
    for (const block of blocks) await this.#parquet.write(this.#groups.add(block));
  }

  async end(): Promise<void> {
    await this.#csv.write(Buffer.from(this.#beginning));
    await this.#parquet.write(this.#groups.end());
    await Promise.all([this.#csv.end(), this.#parquet.end()]);
  }

  async abandon(reason: unknown): Promise<void> {
    await this.#csv.abandon(reason);
    await this.#parquet.abandon(reason);
  }
}
