/** The rows of one result table on their way into the bytes of its two files. Pure but for what it has gathered. */
import type { Column, Slab } from './column.ts';
import { CsvRows } from './csv-rows.ts';
import { ParquetGroups } from './parquet-groups.ts';

/** What is ready to be written; empty while it gathers. Each with a memory of its own: it is written while the next is made. */
export interface Encoded {
  readonly csv: Uint8Array<ArrayBuffer>;
  readonly parquet: Uint8Array<ArrayBuffer>;
}

/** Characters of CSV that are gathered before they go on. */
const CHUNK = 256 * 1024;
const NOTHING = new Uint8Array();
const UTF8 = new TextEncoder();

export class TableEncoder {
  readonly #rows: CsvRows;
  readonly #groups: ParquetGroups;
  #text: string;

  constructor(columns: readonly Column[]) {
    this.#rows = new CsvRows(columns);
    this.#groups = new ParquetGroups(columns);
    this.#text = this.#rows.header(columns.map(({ name }) => name));
  }

  add(slab: Slab): Encoded {
    this.#text += this.#rows.rows(slab);
    const parquet = this.#groups.add(slab);
    return { csv: this.#text.length < CHUNK ? NOTHING : this.#taken(), parquet };
  }

  /** The rest of both files. */
  end(): Encoded {
    return { csv: this.#taken(), parquet: this.#groups.end() };
  }

  #taken(): Uint8Array<ArrayBuffer> {
    const bytes = UTF8.encode(this.#text);
    this.#text = '';
    return bytes;
  }
}
