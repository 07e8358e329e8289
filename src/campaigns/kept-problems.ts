/** Collects problems of rows. The number kept is limited: a table with errors in every row has only a few causes. */
import type { Problem } from '../domain/problem.ts';

const MOST = 10_000;

export class KeptProblems {
  /** The first ones. */
  readonly kept: Problem[] = [];
  /** Number of problems that are not in `kept`. */
  omitted = 0;

  add(problem: Problem): void {
    if (this.kept.length < MOST) this.kept.push(problem);
    else this.omitted += 1;
  }
}
