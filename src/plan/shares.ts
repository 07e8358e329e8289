/** Finds rows with the same work: one job serves them all. Rows are numbered in input order. */
import type { Item, Options, SequenceOptions } from '../domain/item.ts';
import type { AssignedItem } from '../store/prepare-item.ts';
import { combined, shareDigest } from '../store/work.ts';
import { DigestTable } from './digest-table.ts';

export class Shares {
  readonly #table = new DigestTable();
  #rows = 0;
  /** Row → the first row with the same work. Only rows that are not the first. */
  readonly #followers = new Map<number, number>();
  /** First row of each shared work → the combined options of all its rows. */
  readonly #together = new Map<number, Options>();
  /** Options of first rows that may still be shared; only sequences can differ in them. */
  readonly #firstOptions = new OptionsOfRows();

  /** Adds the next row; returns the first row with the same work. */
  add(item: Item): { readonly row: number; readonly first: number } {
    const row = this.#rows;
    this.#rows += 1;
    const first = this.#table.add(shareDigest(item));
    if (first === row) this.#firstOptions.set(row, item.options);
    else {
      const former = this.#together.get(first) ?? this.#firstOptions.get(first, item.options);
      this.#followers.set(row, first);
      this.#together.set(first, combined(former, item.options));
    }
    return { row, first };
  }

  /** The same rows again, in the same order, each with its share. */
  async *assign(items: AsyncIterable<Item>): AsyncGenerator<AssignedItem> {
    const leaders = new Map<number, string>();
    let row = 0;
    for await (const item of items) {
      const first = this.#followers.get(row) ?? row;
      const options = this.#together.get(first);
      if (options !== undefined && first === row) leaders.set(row, item.id);
      row += 1;
      const share = options && { leader: leaders.get(first) ?? item.id, options };
      yield share ? { ...item, share } : item;
    }
  }
}

/** Predictors of many rows, a few bytes each: most rows have the same ones. */
class OptionsOfRows {
  readonly #different = new Map<number, Options>();
  #usual: SequenceOptions | null = null;

  set(row: number, options: Options): void {
    if (options.kind !== 'sequence') return;
    this.#usual ??= options;
    const { predictors } = this.#usual;
    const isUsual =
      options.predictors.length === predictors.length &&
      options.predictors.every((name, at) => name === predictors[at]);
    if (!isUsual) this.#different.set(row, options);
  }

  /** `other`: options of a row with the same work, and therefore of the same kind. */
  get(row: number, other: Options): Options {
    if (other.kind !== 'sequence') return other;
    return this.#different.get(row) ?? this.#usual ?? other;
  }
}
