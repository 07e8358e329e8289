/** `items.csv` or `failed.csv`, written row by row while other things are made of the same items. */
import type { Store } from '../store/store.ts';
import type { Listed } from './campaign-items.ts';
import { csvLine, type Row } from './csv-table.ts';
import type { ItemResult, ResultSink } from './result-pass.ts';
import { OpenFile } from './tables/file.ts';

/** Characters that are gathered before they are written. */
const CHUNK = 64 * 1024;

export class ListedTable implements ResultSink {
  readonly #file: OpenFile;
  /** Null for an item that has no row in this table. */
  readonly #rowOf: (item: Listed) => Row | null;
  #text: string;

  constructor(store: Store, key: string, header: Row, rowOf: (item: Listed) => Row | null) {
    this.#file = new OpenFile(store, key);
    this.#rowOf = rowOf;
    this.#text = csvLine(header);
  }

  async add({ item }: ItemResult): Promise<void> {
    const row = this.#rowOf(item);
    if (row === null) return;
    this.#text += csvLine(row);
    if (this.#text.length >= CHUNK) await this.#write();
  }

  async end(): Promise<void> {
    await this.#write();
    await this.#file.end();
  }

  async abandon(reason: unknown): Promise<void> {
    await this.#file.abandon(reason);
  }

  async #write(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    await this.#file.write(Buffer.from(text));
  }
}
