/** The problems of rows: a code with its facts and its cell, until its place is known. */
import { escapeControls, formatShown } from '../domain/plain-text.ts';
import type { Problem, ProblemWords } from '../domain/problem.ts';
import type { InputFinding } from '../kinds/kind.ts';
import { MANIFEST_PROBLEMS as PROBLEMS } from './problem-words.ts';

export type ProblemCode = keyof typeof PROBLEMS;
export type Facts<C extends ProblemCode> = Parameters<(typeof PROBLEMS)[C]['message']>[0];

/** A problem of a row, before its place is known. */
export interface Complaint {
  readonly code: string;
  readonly severity: Problem['severity'];
  /** What is wrong, and what to do; `value` is shown as in the problem. */
  readonly say: (value: string) => Pick<Problem, 'message' | 'remedy'>;
  readonly column: string | null;
  /** As the user wrote it. */
  readonly value: string | null;
  /** The line to name instead of the row's own. */
  readonly line: number | null;
}

export function createComplaint<C extends ProblemCode>(
  code: C,
  facts: Facts<C>,
  where: { column?: string | null; value?: string | null; line?: number | null } = {},
): Complaint {
  const { column = null, value = null, line = null } = where;
  const { severity, message, remedy } = PROBLEMS[code] as ProblemWords<Facts<C>>;
  const say: Complaint['say'] = (shown) => ({
    message: message(facts, shown),
    remedy: remedy(facts),
  });
  return { code, severity, say, column, value, line };
}

export function isError({ severity }: Complaint): boolean {
  return severity === 'error';
}

export function toProblem(
  { code, severity, say, column, value: written, line }: Complaint,
  place: { readonly file: string; readonly line: number | null; readonly id: string | null },
): Problem {
  const value = written === null ? null : formatShown(written);
  return {
    severity,
    code,
    file: escapeControls(place.file),
    line: line ?? place.line,
    id: place.id,
    column: column === null ? null : formatShown(column),
    value,
    ...say(value ?? ''),
  };
}

/** What a kind found in an input; some findings are about another cell than the input's. */
export function toComplaint(
  { code, severity, message, remedy, cell }: InputFinding,
  input: { readonly column: string; readonly value: string },
): Complaint {
  return { code, severity, say: () => ({ message, remedy }), ...(cell ?? input), line: null };
}
