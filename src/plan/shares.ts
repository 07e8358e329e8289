/** Finds rows with the same work: one job serves them all. Rows are numbered in input order. */
import type { Item, Options } from '../domain/item.ts';
import { combined, covers } from '../kinds/registry.ts';
import type { AssignedItem } from '../store/prepare.ts';
import { shareDigest } from '../store/work.ts';

export class Shares {
  /** The first row of each work, and its options. */
  readonly #firsts = new Map<string, { readonly row: number; readonly options: Options }>();
  #rows = 0;
  /** Row → the first row with the same work. Only rows that are not the first. */
  readonly #followers = new Map<number, number>();
  /** First row of each shared work → the combined options of all its rows. */
  readonly #together = new Map<number, Options>();

  /** Adds the next row; returns the first row with the same work. */
  add(item: Item): { readonly row: number; readonly first: number } {
    const row = this.#rows;
    this.#rows += 1;
    const digest = shareDigest(item);
    const first = this.#firsts.get(digest);
    if (first === undefined) {
      this.#firsts.set(digest, { row, options: item.options });
      return { row, first: row };
    }
    const former = this.#together.get(first.row) ?? first.options;
    this.#followers.set(row, first.row);
    this.#together.set(first.row, combined(former, item.options));
    return { row, first: first.row };
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

/** What the job or result of a group of rows provides, as far as known. The first row represents the group. */
export class Coverage {
  readonly #jobs = new Map<number, Options | 'all' | null>();

  /** `options`: of the job or result that serves the group from now on; null if other rows cannot use it. */
  set(first: number, options: Options | null): void {
    this.#jobs.set(first, options);
  }

  /** A job that is not submitted yet will serve all rows of the group. */
  setAll(first: number): void {
    this.#jobs.set(first, 'all');
  }

  covers(first: number, wanted: Options): boolean {
    const job = this.#jobs.get(first) ?? null;
    return job === 'all' || (job !== null && covers(job, wanted));
  }
}
