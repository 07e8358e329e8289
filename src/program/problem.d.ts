/** Types of `problem.js`, which stays plain JavaScript because the set-up runs on Node 20. */

/** A set-up step that failed in a way the user can do something about: shown without a stack trace. */
export class SetupProblem extends Error {
  readonly code: string;
  /** What the user can do, in a sentence or two. */
  readonly remedy: string;
  /** The failing program's own words; empty when it said nothing. */
  readonly detail: string;
  constructor(code: string, message: string, remedy: string, detail?: string);
}

/** The end of a program's output, without stack traces. */
export function lastLines(text: string, count?: number): string;

/** What every step can die of (disk, permission, network); null when it is something else. */
export function commonProblem(what: string, text: string): SetupProblem | null;
