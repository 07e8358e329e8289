/** One result table on its way into its two files, which hold the same rows. */
import type { ItemRecord } from '../../store/item-record.ts';
import { resultTableKey } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';
import type { Kind } from '../../domain/item.ts';
import { ownCells } from '../own-columns.ts';
import { columns, type Column, type Slab } from './column.ts';
import { TableEncoder, type Encoded } from './encoder.ts';
import { OpenFile } from './file.ts';

export class ResultTable {
  readonly #ours: readonly string[];
  readonly #own: readonly string[];
  readonly #encoder: TableEncoder;
  readonly #csv: OpenFile;
  readonly #parquet: OpenFile;

  /**
   * @param ours the columns that every campaign has
   * @param own names of the user's columns, as they stand in the table
   */
  constructor(store: Store, kind: Kind, ours: readonly Column[], own: Iterable<string>) {
    this.#ours = ours.map(({ name }) => name);
    this.#own = [...own];
    this.#encoder = new TableEncoder([...ours, ...columns('text', ...own)]);
    this.#csv = new OpenFile(store, resultTableKey(kind, 'csv'));
    this.#parquet = new OpenFile(store, resultTableKey(kind, 'parquet'));
  }

  async add(record: ItemRecord, slabs: readonly Slab[]): Promise<void> {
    const cells = ownCells(record.user, this.#ours);
    // CSV has one way to write nothing.
    const own = this.#own.map((name) => cells.get(name) || null);
    for (const slab of slabs) {
      await this.#write(this.#encoder.add({ ...slab, cells: [...slab.cells, ...own] }));
    }
  }

  async end(): Promise<void> {
    await this.#write(this.#encoder.end());
    await this.#csv.end();
    await this.#parquet.end();
  }

  async abandon(reason: unknown): Promise<void> {
    await this.#csv.abandon(reason);
    await this.#parquet.abandon(reason);
  }

  async #write({ csv, parquet }: Encoded): Promise<void> {
    await Promise.all([this.#csv.write(csv), this.#parquet.write(parquet)]);
  }
}
