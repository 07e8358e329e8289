/** `items.csv` or `failed.csv`, written row by row while other files are made from the same items. */
import type { Listed } from './campaign-items.ts';
import { csvLine, type Row } from './csv-table.ts';
import { OpenFile, type FileWriter } from './open-file.ts';
import type { ItemParts, PartsSink } from './result-pass.ts';

export class ListedTable implements PartsSink {
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
