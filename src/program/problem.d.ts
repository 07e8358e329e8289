/** Types of `problem.js`, which stays plain JavaScript because the set-up runs on Node 20. */

/** A failure of a set-up step that the user can fix: shown without a stack trace. */
export class SetupProblem extends Error {
  readonly code: string;
  /** What the user can do, in a sentence or two. */
  readonly remedy: string;
  /** The failing program's own output; empty if there was none. */
  readonly detail: string;
  constructor(code: string, message: string, remedy: string, detail?: string);
}

/** The end of a program's output, without stack traces. */
export function lastLines(text: string, count?: number): string;

/** Failures common to all steps (disk, permission, network); null for others. */
export function commonProblem(what: string, text: string): SetupProblem | null;
