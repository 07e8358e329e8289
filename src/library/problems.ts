/** Collects problems of rows. The number kept is limited: a table with errors in every row has only a few causes. */
import type { Problem } from '../domain/problem.ts';

const KEPT = 10_000;

export class Problems {
  /** At most the first 10,000. */
  readonly kept: Problem[] = [];

  add(problem: Problem): void {
    if (this.kept.length < KEPT) this.kept.push(problem);
  }
}
