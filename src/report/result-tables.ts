/** The tables of a campaign in `tables/`: the results of each kind, and the measures of its items. */
import type { Kind } from '../domain/item.ts';
import type { Cells } from '../kinds/kind.ts';
import { type AnyKind, findKind } from '../kinds/registry.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { buildTableKey, listWrittenKinds } from '../store/layout.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import { formatCsvLine } from './csv-table.ts';
import { ParquetFile } from './parquet.ts';
import type { DerivedFiles, OpenFile, PublishedItem, Writer } from './writer.ts';
import { formatCsvRows, measureCells, RowMaker, type TableOf } from './result-rows.ts';

/** With only a header if the campaign has no such result. */
export class ResultTables implements Writer {
  readonly #tables: ReadonlyMap<Kind, readonly ResultTable[]>;

  constructor(files: DerivedFiles, { columns }: PreparedCampaign) {
    const kinds = Object.keys(columns);
    this.#tables = new Map(
      listWrittenKinds(kinds).map((kind) => [
        kind,
        openTables(files, findKind(kind), columns[kind] ?? []),
      ]),
    );
  }

  async add({ item: { record }, reading, measures }: PublishedItem): Promise<void> {
    if (record === null || reading === null || measures === null) return;
    const kind = findKind(record.kind);
    for (const table of this.#tables.get(kind.name) ?? []) {
      const isOfResults = table.of === 'results';
      const cells = isOfResults ? kind.table.rows(reading, record) : [measureCells(kind, measures)];
      await table.add(record, cells);
    }
  }

  async end(): Promise<void> {
    // Flushing hundreds of megabytes to disk takes a second.
    await Promise.all([...this.#tables.values()].flat().map((table) => table.end()));
  }
}

function openTables(
  files: DerivedFiles,
  kind: AnyKind,
  own: readonly string[],
): readonly ResultTable[] {
  const { table, measuresTable } = kind;
  const results = new ResultTable(files, table.name, 'results', new RowMaker(kind, 'results', own));
  if (measuresTable === null) return [results];
  const rows = new RowMaker(kind, 'measures', own);
  return [results, new ResultTable(files, measuresTable, 'measures', rows)];
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

  constructor(files: DerivedFiles, name: string, of: TableOf, rows: RowMaker) {
    this.of = of;
    this.#rows = rows;
    this.#groups = new ParquetFile(rows.columns);
    this.#csv = files.open(buildTableKey(name, 'csv'));
    this.#parquet = files.open(buildTableKey(name, 'parquet'));
    this.#beginning = formatCsvLine(rows.columns.map((column) => column.name));
  }

  async add(record: ItemRecord, results: readonly Cells[]): Promise<void> {
    const blocks = this.#rows.blocks(record, results);
    await this.#csv.write(this.#beginning + blocks.map(formatCsvRows).join(''));
    this.#beginning = '';
    for (const block of blocks) await this.#parquet.write(this.#groups.add(block));
  }

  async end(): Promise<void> {
    await this.#csv.write(this.#beginning);
    await this.#parquet.write(this.#groups.end());
    await Promise.all([this.#csv.end(), this.#parquet.end()]);
  }
}
