/** The tables of a campaign in `tables/`: the results of each kind, and the measures of its items. */
import type { Kind } from '../../domain/item.ts';
import type { Cells } from '../../kinds/kind.ts';
import { kindOf, type AnyKind } from '../../kinds/registry.ts';
import type { ItemRecord } from '../../store/item-record.ts';
import { type TableFormat, tableKey, writtenKinds } from '../../store/layout.ts';
import { csvLine } from '../csv-table.ts';
import { type FileWriter, OpenFile } from '../open-file.ts';
import type { ItemParts, PartsSink } from '../result-pass.ts';
import type { Column } from './column.ts';
import { ParquetGroups } from './parquet-groups.ts';
import {
  measureCells,
  type OwnColumnsByKind,
  type ResultRows,
  RowMaker,
  type TableOf,
} from './result-rows.ts';

/** With only a header if the campaign has no such result. */
export class ResultTables implements PartsSink {
  readonly #results: ReadonlyMap<Kind, OpenTable>;
  /** Of the kinds whose tables of results have several rows per item. */
  readonly #measures: ReadonlyMap<Kind, OpenTable>;

  /** @param kinds of the campaign's items */
  constructor(
    store: FileWriter,
    kinds: readonly Kind[],
    own: { readonly results: OwnColumnsByKind; readonly measures: OwnColumnsByKind },
  ) {
    const open = (of: TableOf, nameIn: (kind: AnyKind) => string | null) =>
      new Map(
        writtenKinds(kinds).flatMap((kind) => {
          const name = nameIn(kindOf(kind));
          if (name === null) return [];
          const rows = new RowMaker(kindOf(kind), of, own[of][kind] ?? new Set());
          const keyOf = (format: TableFormat) => tableKey(name, format);
          return [[kind, { rows, file: new ResultTable(store, keyOf, rows.columns) }] as const];
        }),
      );
    this.#results = open('results', ({ table }) => table.name);
    this.#measures = open('measures', ({ measuresTable }) => measuresTable);
  }

  async add({ item: { record }, parts: { cells, measures } }: ItemParts): Promise<void> {
    if (record === null || cells === null || measures === null) return;
    const { kind } = record;
    await addTo(this.#results.get(kind), record, cells);
    await addTo(this.#measures.get(kind), record, [measureCells(kind, measures)]);
  }

  async end(): Promise<void> {
    await Promise.all(this.#all().map(({ file }) => file.end()));
  }

  async abandon(reason: unknown): Promise<void> {
    for (const { file } of this.#all()) await file.abandon(reason);
  }

  #all(): readonly OpenTable[] {
    return [...this.#results.values(), ...this.#measures.values()];
  }
}

interface OpenTable {
  readonly rows: RowMaker;
  readonly file: ResultTable;
}

async function addTo(
  table: OpenTable | undefined,
  record: ItemRecord,
  cells: readonly Cells[],
): Promise<void> {
  await table?.file.add(table.rows.rows(record, cells));
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
