/** Rows that wait for files and chemistry in parallel, and are yielded in order. */
import type { CheckedRow } from '../domain/item.ts';

/** Limit for waiting rows: enough to keep the threads of both busy. */
const UNDER_WAY = 1_024;
/** Limit for characters of inputs that wait behind an unfinished row. */
const CHARACTERS = 64_000_000;

export class RowsInOrder {
  #rows: (CheckedRow | Promise<CheckedRow>)[] = [];
  #next = 0;
  #characters = 0;

  get length(): number {
    return this.#rows.length - this.#next;
  }

  /** The next row is ready, or the limit is reached. */
  get isDue(): boolean {
    if (this.length === 0) return false;
    if (!(this.#rows[this.#next] instanceof Promise)) return true;
    return this.length > UNDER_WAY || this.#characters > CHARACTERS;
  }

  add(row: CheckedRow | Promise<CheckedRow>): void {
    // A rejection is handled when the row is awaited.
    if (row instanceof Promise) row.then((ready) => this.#weigh(ready, 1)).catch(() => undefined);
    else this.#weigh(row, 1);
    this.#rows.push(row);
  }

  /** The next row; `length` must not be 0. */
  next(): CheckedRow | Promise<CheckedRow> {
    const row = this.#rows[this.#next];
    if (row === undefined) throw new RangeError('no row is under way');
    this.#next += 1;
    if (this.#next === this.#rows.length) {
      this.#rows = [];
      this.#next = 0;
    } else if (this.#next > UNDER_WAY) {
      this.#rows = this.#rows.slice(this.#next);
      this.#next = 0;
    }
    if (!(row instanceof Promise)) this.#weigh(row, -1);
    else
      return row.then((ready) => {
        this.#weigh(ready, -1);
        return ready;
      });
    return row;
  }

  #weigh({ item }: CheckedRow, sign: 1 | -1): void {
    this.#characters += sign * (item?.input.text.length ?? 0);
  }
}
