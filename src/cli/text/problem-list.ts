/** Problems as they are found: the first of them in words, all of them for `--json`, none of them held for ever. */
import type { Problem } from '../../domain/problem.ts';
import { explainProblem, say } from './explain.ts';

/** More is no list that anybody works off on a screen. */
const SHOWN = 100;
/** For the one document of `--json`; a table that is wrong from top to bottom is wrong for few reasons. */
const KEPT = 10_000;

export class ProblemList {
  readonly kept: Problem[] = [];
  readonly #print: ((line: string) => void) | undefined;
  #count = 0;

  /** @param tell takes the lines for people; to stderr when it is left out */
  constructor(print?: (line: string) => void) {
    this.#print = print;
  }

  add(problem: Problem): void {
    this.#count += 1;
    if (this.#count <= KEPT) this.kept.push(problem);
    if (this.#count <= SHOWN) explainProblem(problem, this.#print);
  }

  /** How many are not in `kept`. */
  get omitted(): number {
    return this.#count - this.kept.length;
  }

  sayRest(): void {
    if (this.#count > SHOWN)
      (this.#print ?? say)(`… and ${this.#count - SHOWN} more (--json lists them).`);
  }
}
