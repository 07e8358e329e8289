/**
 * What the job or the result that serves a group of rows brings, as far as is known: a byte for each row, because
 * there may be a million. The first row of the group stands for it.
 */
import { PREDICTORS, type Options } from '../domain/item.ts';

const ALL = 2 ** PREDICTORS.length - 1;

export class Coverage {
  #brought = new Uint8Array(1024);

  /** `options`: of what serves the group from now on; null when it is of no use to other rows. */
  set(first: number, options: Options | null): void {
    this.#put(first, options === null ? 0 : predictorsOf(options));
  }

  /** A job that is yet to be submitted does for all rows of the group. */
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

/** A bit each; all of them where there is nothing to choose. */
function predictorsOf(options: Options): number {
  if (options.kind !== 'sequence') return ALL;
  return options.predictors.reduce((bits, name) => bits | (1 << PREDICTORS.indexOf(name)), 0);
}
