/** Problems as they are found: the first ones as text, all (up to a limit) for `--json`. */
import { KeptProblems } from '../../campaigns/kept-problems.ts';
import type { Problem } from '../../domain/problem.ts';
import { sayProblem, say } from './explain.ts';

/** A longer list is not useful on a screen. */
const SHOWN = 100;

export class ProblemList extends KeptProblems {
  readonly #print: ((line: string) => void) | undefined;
  #count = 0;

  /** @param print gets the lines for users; the default is stderr */
  constructor(print?: (line: string) => void) {
    super();
    this.#print = print;
  }

  override add(problem: Problem): void {
    super.add(problem);
    this.#count += 1;
    if (this.#count <= SHOWN) sayProblem(problem, this.#print);
  }

  sayRest(): void {
    if (this.#count > SHOWN)
      (this.#print ?? say)(`… and ${this.#count - SHOWN} more (--json lists them).`);
  }
}
