/** All tables of a campaign, and the columns that must be known before the first row is written. */
import type { Kind } from '../domain/item.ts';
import { FAILED_TABLE, ITEMS_TABLE } from '../store/layout.ts';
import type { Listed } from './campaign-items.ts';
import { collectManifestColumns, failedHeader, failedRow, isListed } from './failed-table.ts';
import { collectOwnColumns, itemsHeader, itemsRow } from './items-table.ts';
import { type FileWriter, OpenFile } from './open-file.ts';
import type { ItemParts, PartsSink } from './result-pass.ts';
import { OwnColumns, type OwnColumnsByKind } from './tables/result-rows.ts';
import { ResultTables } from './tables/result-tables.ts';
import { csvLine, type Row } from './csv-table.ts';

/** The columns that come from the rows of a campaign. */
export class TableColumns {
  /** The user's own columns in items.csv. */
  readonly own = new Set<string>();
  /** Manifest columns in failed.csv. */
  readonly manifest = new Set<string>();
  readonly #results = new OwnColumns();
  readonly #measures = new OwnColumns('measures');
  readonly #kinds = new Set<Kind>();

  /** Of the items. */
  get kinds(): readonly Kind[] {
    return [...this.#kinds];
  }

  /** The user's own columns in the result tables. */
  get results(): OwnColumnsByKind {
    return this.#results.byKind;
  }

  /** The same for the measure tables. */
  get measures(): OwnColumnsByKind {
    return this.#measures.byKind;
  }

  add(item: Listed): void {
    collectOwnColumns(item, this.own);
    if (item.record !== null) {
      this.#kinds.add(item.record.kind);
      this.#results.add(item.record);
      this.#measures.add(item.record);
    }
    if (isListed(item)) collectManifestColumns(item, this.manifest);
  }
}

/** items.csv, failed.csv, and the result and measure tables. */
export function tablesOf(files: FileWriter, columns: TableColumns): readonly PartsSink[] {
  const { own, manifest } = columns;
  return [
    new ListedTable(files, ITEMS_TABLE, itemsHeader(own), (item) => itemsRow(item, own)),
    new ListedTable(files, FAILED_TABLE, failedHeader(manifest), (item) =>
      isListed(item) ? failedRow(item, manifest) : null,
    ),
    new ResultTables(files, columns.kinds, columns),
  ];
}

/** `items.csv` or `failed.csv`, written row by row while other files are made from the same items. */
class ListedTable implements PartsSink {
  readonly #file: OpenFile;
  /** Null for an item without a row in this table. */
  readonly #rowOf: (item: Listed) => Row | null;

  constructor(store: FileWriter, key: string, header: Row, rowOf: (item: Listed) => Row | null) {
    this.#file = new OpenFile(store, key, Buffer.from(csvLine(header)));
    this.#rowOf = rowOf;
  }

  async add({ item }: ItemParts): Promise<void> {
    const row = this.#rowOf(item);
    if (row !== null) await this.#file.write(Buffer.from(csvLine(row)));
  }

  async end(): Promise<void> {
    await this.#file.end();
  }

  async abandon(reason: unknown): Promise<void> {
    await this.#file.abandon(reason);
  }
}
