/**
 * The registry of manifest problems: code → severity, message and remedy. The texts are in three tables,
 * `manifest-problems.ts`, `input-problems.ts` and `protein-problems.ts`, and only there.
 */
import type { Problem, Severity } from '../../domain/problem.ts';
import type { Facts, ProblemCode } from './facts.ts';
import { INPUT_PROBLEMS } from './input-problems.ts';
import { MANIFEST_PROBLEMS } from './manifest-problems.ts';
import { escapeControls, shown } from './show.ts';
import type { ProblemWording } from './wording.ts';

/** A problem of a row, before its place is known. */
export type Complaint<C extends ProblemCode = ProblemCode> = {
  [K in C]: {
    readonly code: K;
    readonly facts: Facts[K];
    readonly column: string | null;
    /** As the user wrote it. */
    readonly value: string | null;
    /** The line to name instead of the row's own. */
    readonly line: number | null;
  };
}[C];

interface Place {
  readonly file: string;
  readonly line: number | null;
  readonly id: string | null;
}

export function complaint<C extends ProblemCode>(
  code: C,
  facts: Facts[C],
  where: { column?: string | null; value?: string | null; line?: number | null } = {},
): Complaint<C> {
  const { column = null, value = null, line = null } = where;
  return { code, facts, column, value, line };
}

export function severityOf(code: ProblemCode): Severity {
  return PROBLEMS[code].severity;
}

export function toProblem<C extends ProblemCode>(complaint: Complaint<C>, place: Place): Problem {
  const wording: ProblemWording<Facts[C]> = PROBLEMS[complaint.code];
  const value = complaint.value === null ? null : shown(complaint.value);
  return {
    severity: wording.severity,
    code: complaint.code,
    file: escapeControls(place.file),
    line: complaint.line ?? place.line,
    id: place.id,
    column: complaint.column === null ? null : shown(complaint.column),
    value,
    message: wording.message(complaint.facts, value ?? ''),
    remedy: wording.remedy(complaint.facts),
  };
}

export const PROBLEMS: { readonly [C in ProblemCode]: ProblemWording<Facts[C]> } = {
  ...MANIFEST_PROBLEMS,
  ...INPUT_PROBLEMS,
};
