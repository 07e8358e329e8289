/**
 * One-line breaks of the program that matter. Each must be noticed by a test: `node test/mutants/main.ts` tries all of
 * them. The list grows with every fault that is found later, and a break whose line is gone gets another that breaks the
 * same promise.
 */
import { BUDGET } from './budget.ts';
import { COMMANDS } from './commands.ts';
import { RESULTS } from './results.ts';
import { SERVICES } from './services.ts';
import { SUBMISSION } from './submission.ts';
import { TREE } from './tree.ts';

export interface Mutant {
  readonly name: string;
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** What would no longer hold, in a sentence. The number is that of the promise in docs/promises.md. */
  readonly breaks: string;
  /** Test files of which at least one must turn red. */
  readonly tests: readonly string[];
}

export const MUTANTS: readonly Mutant[] = [
  ...BUDGET,
  ...SUBMISSION,
  ...SERVICES,
  ...RESULTS,
  ...TREE,
  ...COMMANDS,
];

/** @param names all if there are none */
export function mutantsIn(names: readonly string[] = []): readonly Mutant[] {
  for (const name of names)
    if (!MUTANTS.some((one) => one.name === name)) throw new Error(`no mutant is called ${name}`);
  return MUTANTS.filter(({ name }) => names.length === 0 || names.includes(name));
}
