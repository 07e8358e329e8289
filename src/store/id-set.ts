/** Ids or folders of items, in 21 bytes each: as strings, those of a million items take 100 MB. */
import { IdTable } from '../manifest/id-table.ts';

const NOWHERE = { file: '', line: 0 };

export class IdSet {
  readonly #table = new IdTable();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(id: string): boolean {
    return this.#table.find(id)?.same === true;
  }

  /** Returns false if the set already had it. */
  add(id: string): boolean {
    if (this.has(id)) return false;
    this.#table.add(NOWHERE);
    this.#size += 1;
    return true;
  }
}
