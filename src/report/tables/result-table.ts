/** One result table on its way into its two files, which hold the same rows. */
import type { ItemRecord } from '../../store/item-record.ts';
import { ownCells } from '../own-columns.ts';
import type { Slab } from './column.ts';
import type { Encoded } from './encoder.ts';
import type { OpenFile } from './file.ts';

/** Slabs that may be with the encoder: enough that it never waits, few enough for the memory. */
const UNDER_WAY = 16;

export interface TableFiles {
  readonly csv: OpenFile;
  readonly parquet: OpenFile;
}

export class ResultTable {
  readonly #files: TableFiles;
  readonly #ours: readonly string[];
  readonly #own: readonly string[];
  readonly #encode: (slab: Slab | null) => Promise<Encoded>;
  readonly #underWay: Promise<void>[] = [];

  /**
   * @param ours names of the columns that every campaign has
   * @param own names of the user's columns, as they stand in the table
   * @param encode what is ready for the files once these rows are in; null: the rest
   */
  constructor(
    files: TableFiles,
    ours: readonly string[],
    own: readonly string[],
    encode: (slab: Slab | null) => Promise<Encoded>,
  ) {
    this.#files = files;
    this.#ours = ours;
    this.#own = own;
    this.#encode = encode;
  }

  async add(record: ItemRecord, slabs: readonly Slab[]): Promise<void> {
    const cells = ownCells(record.user, this.#ours);
    // CSV has one way to write nothing.
    const own = this.#own.map((name) => cells.get(name) || null);
    for (const slab of slabs) {
      this.#send({ ...slab, cells: [...slab.cells, ...own] });
      if (this.#underWay.length > UNDER_WAY) await this.#underWay.shift();
    }
  }

  async end(): Promise<void> {
    this.#send(null);
    for (const one of this.#underWay) await one;
    await this.#files.csv.end();
    await this.#files.parquet.end();
  }

  async abandon(reason: unknown): Promise<void> {
    await this.#files.csv.abandon(reason);
    await this.#files.parquet.abandon(reason);
    await Promise.allSettled(this.#underWay);
  }

  #send(slab: Slab | null): void {
    const written = this.#write(this.#encode(slab));
    // Met when its turn comes.
    written.catch(() => undefined);
    this.#underWay.push(written);
  }

  async #write(encoded: Promise<Encoded>): Promise<void> {
    const { csv, parquet } = await encoded;
    await Promise.all([this.#files.csv.write(csv), this.#files.parquet.write(parquet)]);
  }
}
