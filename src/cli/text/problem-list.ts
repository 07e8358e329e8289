/** Problems as they are found: the first of each code as text, then the lines of the others; all of them for `--json`. */
import { KeptProblems } from '../../runner/intake.ts';
import type { Problem } from '../../domain/problem.ts';
import { sayProblem, say } from './explain.ts';

/** Of one code: a library has the same fault in one row of twenty. */
const SHOWN_OF_EACH = 3;
/** Lines that are named of the others. */
const LINES_SHOWN = 12;

interface Others {
  readonly severity: Problem['severity'];
  readonly file: string;
  readonly lines: number[];
  count: number;
}

export class ProblemList extends KeptProblems {
  readonly #print: ((line: string) => void) | undefined;
  readonly #counts = new Map<string, number>();
  /** By code and file. */
  readonly #others = new Map<string, Others>();

  /** @param print gets the lines for users; the default is stderr */
  constructor(print?: (line: string) => void) {
    super();
    this.#print = print;
  }

  override add(problem: Problem): void {
    super.add(problem);
    const { code, severity, file, line } = problem;
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count <= SHOWN_OF_EACH) {
      sayProblem(problem, this.#print);
      return;
    }
    const key = `${code} ${file}`;
    const others = this.#others.get(key) ?? { severity, file, lines: [], count: 0 };
    this.#others.set(key, others);
    others.count += 1;
    if (line !== null && others.lines.length < LINES_SHOWN) others.lines.push(line);
  }

  sayRest(): void {
    const print = this.#print ?? say;
    for (const [key, { severity, file, lines, count }] of this.#others) {
      const code = key.slice(0, key.indexOf(' '));
      const named = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`;
      const where = lines.length === 0 ? '' : `, ${named}${count > lines.length ? ', …' : ''}`;
      print(
        `${severity}: ${file}${where}: the same ${count === 1 ? 'once' : `${count} times`} more [${code}]`,
      );
    }
    if (this.#others.size > 0) print('  --json lists each with its words.');
  }
}
