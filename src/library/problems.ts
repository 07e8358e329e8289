/** Problems of rows as they are found; a table that is wrong from top to bottom is wrong for few reasons. */
import type { Problem } from '../domain/problem.ts';

const KEPT = 10_000;

export class Problems {
  /** At most the first 10,000. */
  readonly kept: Problem[] = [];

  add(problem: Problem): void {
    if (this.kept.length < KEPT) this.kept.push(problem);
  }
}
