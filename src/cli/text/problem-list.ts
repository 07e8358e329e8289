/** Problems as they are found: the first ones as text, all (up to a limit) for `--json`. */
import type { Problem } from '../../domain/problem.ts';
import { printProblem, say } from './explain.ts';

/** A longer list is not useful on a screen. */
const SHOWN = 100;
/** For the document of `--json`; a table with more problems has few different ones. */
const KEPT = 10_000;

export class ProblemList {
  readonly kept: Problem[] = [];
  readonly #print: ((line: string) => void) | undefined;
  #count = 0;

  /** @param print gets the lines for users; the default is stderr */
  constructor(print?: (line: string) => void) {
    this.#print = print;
  }

  add(problem: Problem): void {
    this.#count += 1;
    if (this.#count <= KEPT) this.kept.push(problem);
    if (this.#count <= SHOWN) printProblem(problem, this.#print);
  }

  /** Number of problems that are not in `kept`. */
  get omitted(): number {
    return this.#count - this.kept.length;
  }

  sayRest(): void {
    if (this.#count > SHOWN)
      (this.#print ?? say)(`… and ${this.#count - SHOWN} more (--json lists them).`);
  }
}
