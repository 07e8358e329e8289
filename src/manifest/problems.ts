/** The problems of rows: a code with its facts and its cell, until its place is known. */
import { escapeControls, formatShown } from '../domain/plain-text.ts';
import type { Problem, ProblemWords, Severity } from '../domain/problem.ts';
import type { InputFinding } from '../kinds/kind.ts';
import { MOLECULE_PROBLEMS } from '../kinds/molecule/problems.ts';
import { PROTEIN_PROBLEMS } from '../kinds/protein/problems.ts';
import { MANIFEST_PROBLEMS } from './problem-words.ts';

export const PROBLEMS = { ...MANIFEST_PROBLEMS, ...MOLECULE_PROBLEMS, ...PROTEIN_PROBLEMS };

export type ProblemCode = keyof typeof PROBLEMS;
export type Facts<C extends ProblemCode> = Parameters<(typeof PROBLEMS)[C]['message']>[0];

/** A problem of a row, before its place is known. */
export interface Complaint {
  readonly code: ProblemCode;
  readonly facts: unknown;
  readonly column: string | null;
  /** As the user wrote it. */
  readonly value: string | null;
  /** The line to name instead of the row's own. */
  readonly line: number | null;
  /** Of a plugin's kind, whose codes are in no table. */
  readonly words?: ProblemWords<object> | undefined;
}

export function createComplaint<C extends ProblemCode>(
  code: C,
  facts: Facts<C>,
  where: { column?: string | null; value?: string | null; line?: number | null } = {},
): Complaint {
  const { column = null, value = null, line = null } = where;
  return { code, facts, column, value, line };
}

export function findSeverity(code: string): Severity {
  return PROBLEMS[code as ProblemCode].severity;
}

export function isError({ code, words }: Complaint): boolean {
  return (words?.severity ?? findSeverity(code)) === 'error';
}

export function toProblem(
  { code, facts, column, value: written, line, words: own }: Complaint,
  place: { readonly file: string; readonly line: number | null; readonly id: string | null },
): Problem {
  // `createComplaint` checked that the facts are those of the code.
  const words = (own ?? PROBLEMS[code]) as ProblemWords<unknown>;
  const value = written === null ? null : formatShown(written);
  return {
    severity: words.severity,
    code,
    file: escapeControls(place.file),
    line: line ?? place.line,
    id: place.id,
    column: column === null ? null : formatShown(column),
    value,
    message: words.message(facts, value ?? ''),
    remedy: words.remedy(facts),
  };
}

/** What a kind found in an input; some findings are about another cell than the input's. */
export function toComplaint(
  { code, facts, words }: InputFinding,
  input: { readonly column: string; readonly value: string },
): Complaint {
  const known = code as ProblemCode;
  const { cell } = (words ?? PROBLEMS[known]) as ProblemWords<unknown>;
  return { code: known, facts, ...(cell?.(facts) ?? input), line: null, words };
}
