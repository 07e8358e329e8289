/** One result table on its way into its two files, which hold the same rows. */
import type { ItemRecord } from '../../store/item-record.ts';
import type { Store } from '../../store/store.ts';
import { ownCells } from '../own-columns.ts';
import { columns, type Column, type Slab } from './column.ts';
import { CsvRows } from './csv-rows.ts';
import { OpenFile } from './file.ts';
import { ParquetGroups } from './parquet-groups.ts';

/** Characters of CSV that are gathered before they go to the store. */
const CHUNK = 256 * 1024;

export class ResultTable {
  readonly #ours: readonly string[];
  readonly #own: readonly string[];
  readonly #csv: OpenFile;
  readonly #parquet: OpenFile;
  readonly #rows: CsvRows;
  readonly #groups: ParquetGroups;
  #text: string;

  /**
   * @param keys of the two files
   * @param ours columns that every campaign has
   * @param own names of the user's columns, as they stand in the table
   */
  constructor(
    store: Store,
    keys: Readonly<Record<'csv' | 'parquet', string>>,
    ours: readonly Column[],
    own: Iterable<string>,
  ) {
    this.#ours = ours.map(({ name }) => name);
    this.#own = [...own];
    const all = [...ours, ...columns('text', ...this.#own)];
    this.#rows = new CsvRows(all);
    this.#text = this.#rows.header([...this.#ours, ...this.#own]);
    this.#groups = new ParquetGroups(all);
    this.#csv = new OpenFile(store, keys.csv);
    this.#parquet = new OpenFile(store, keys.parquet);
  }

  async add(record: ItemRecord, slabs: readonly Slab[]): Promise<void> {
    const cells = ownCells(record.user, this.#ours);
    // CSV has one way to write nothing.
    const own = this.#own.map((name) => cells.get(name) || null);
    for (const slab of slabs) {
      const whole = { ...slab, cells: [...slab.cells, ...own] };
      this.#text += this.#rows.rows(whole);
      await this.#parquet.write(this.#groups.add(whole));
      if (this.#text.length >= CHUNK) await this.#flush();
    }
  }

  async end(): Promise<void> {
    await this.#flush();
    await this.#csv.end();
    await this.#parquet.write(this.#groups.end());
    await this.#parquet.end();
  }

  async abandon(reason: unknown): Promise<void> {
    await this.#csv.abandon(reason);
    await this.#parquet.abandon(reason);
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#text, 'utf8');
    this.#text = '';
    await this.#csv.write(bytes);
  }
}
