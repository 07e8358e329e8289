/**
 * Which predictors the job or result of a group of rows provides, as far as known. The first row represents the group.
 * A byte per row, because there may be a million.
 */
import { PREDICTORS, type Options } from '../domain/item.ts';

const ALL = 2 ** PREDICTORS.length - 1;

export class Coverage {
  #brought = new Uint8Array(1024);

  /** `options`: of the job or result that serves the group from now on; null if other rows cannot use it. */
  set(first: number, options: Options | null): void {
    this.#put(first, options === null ? 0 : predictorsOf(options));
  }

  /** A job that is not submitted yet will serve all rows of the group. */
  setAll(first: number): void {
    this.#put(first, ALL);
  }

  covers(first: number, wanted: Options): boolean {
    const needed = predictorsOf(wanted);
    return ((this.#brought[first] ?? 0) & needed) === needed;
  }

  #put(first: number, brought: number): void {
    if (first >= this.#brought.length) {
      const larger = new Uint8Array(Math.max(first + 1, this.#brought.length * 2));
      larger.set(this.#brought);
      this.#brought = larger;
    }
    this.#brought[first] = brought;
  }
}

/** A bit each; all bits if the kind has no predictors. */
function predictorsOf(options: Options): number {
  if (options.kind !== 'sequence') return ALL;
  return options.predictors.reduce((bits, name) => bits | (1 << PREDICTORS.indexOf(name)), 0);
}
