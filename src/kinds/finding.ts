/** What the checks of an input find, and what is read of it: the same for every kind. */
import type { InputText } from '../domain/item.ts';
import type { ProblemWords } from '../domain/problem.ts';

/** A code of the problems of its kind, and the facts for its words: the manifest knows where the input came from. */
export interface InputFinding {
  readonly code: string;
  readonly facts: unknown;
  /** Of a plugin's kind, whose codes are in no table. */
  readonly words?: ProblemWords<object>;
}

/** Makes findings of these problems: the facts of a code are what its words need. */
export function createFindings<P extends Readonly<Record<string, ProblemWords>>>(_problems: P) {
  return <C extends keyof P & string>(
    code: C,
    facts: Parameters<P[C]['message']>[0],
  ): InputFinding => ({ code, facts });
}

/** What is read of an input: the same for every kind. */
export interface Reading {
  readonly findings: readonly InputFinding[];
  /** The text to send; null if the input is invalid for its kind. */
  readonly input: InputText | null;
  /** See `Item.canonical`; meaningless if a finding is an error. */
  readonly canonical: string;
}
