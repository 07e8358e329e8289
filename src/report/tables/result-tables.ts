/** The tables of a campaign in `tables/`: the results of each kind, and the measures of its items. */
import type { Kind } from '../../domain/item.ts';
import { kindOf } from '../../kinds/registry.ts';
import { type TableFormat, tableKey, writtenKinds } from '../../store/layout.ts';
import { csvLine } from '../csv-table.ts';
import { type FileWriter, OpenFile } from '../open-file.ts';
import type { ItemParts, PartsSink } from '../result-pass.ts';
import type { Column } from './column.ts';
import { ParquetGroups } from './parquet-groups.ts';
import { measureCells, type OwnColumnsByKind, type ResultRows, RowMaker } from './result-rows.ts';

/** With only a header if the campaign has no such result. */
export class ResultTables implements PartsSink {
  readonly #results: ReadonlyMap<Kind, ResultTable>;
  /** Of the kinds whose tables of results have several rows per item. */
  readonly #measures: ReadonlyMap<Kind, { readonly file: ResultTable; readonly rows: RowMaker }>;

  /** @param kinds of the campaign's items */
  constructor(
    store: FileWriter,
    kinds: readonly Kind[],
    own: { readonly results: OwnColumnsByKind; readonly measures: OwnColumnsByKind },
  ) {
    const written = writtenKinds(kinds).map((name) => kindOf(name));
    const open = (name: string, { columns }: RowMaker) =>
      new ResultTable(store, (format) => tableKey(name, format), columns);
    this.#results = new Map(
      written.map((kind) => {
        const rows = new RowMaker(kind, 'results', own.results[kind.name] ?? new Set());
        return [kind.name, open(kind.table.name, rows)];
      }),
    );
    this.#measures = new Map(
      written.flatMap((kind) => {
        if (kind.measuresTable === null) return [];
        const rows = new RowMaker(kind, 'measures', own.measures[kind.name] ?? new Set());
        return [[kind.name, { file: open(kind.measuresTable, rows), rows }] as const];
      }),
    );
  }

  async add({ item: { record }, parts: { rows, measures } }: ItemParts): Promise<void> {
    if (record === null || rows === null) return;
    await this.#results.get(record.kind)?.add(rows);
    const table = this.#measures.get(record.kind);
    if (table === undefined || measures === null) return;
    await table.file.add(table.rows.rows(record, [measureCells(record.kind, measures)]));
  }

  async end(): Promise<void> {
    await Promise.all(this.#all().map((table) => table.end()));
  }

  async abandon(reason: unknown): Promise<void> {
    for (const table of this.#all()) await table.abandon(reason);
  }

  #all(): readonly ResultTable[] {
    return [...this.#results.values(), ...Array.from(this.#measures.values(), ({ file }) => file)];
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
