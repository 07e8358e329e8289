/** The problems of manifests and their rows: what is wrong and what to do, until the place is known. */
import { escapeControls, formatShown } from '../domain/plain-text.ts';
import type { Problem, Severity } from '../domain/campaign.ts';
import type { InputFinding } from '../kinds/kind.ts';

/** A problem of a row, before its place is known. */
export interface Complaint extends Pick<Problem, 'code' | 'severity' | 'message' | 'remedy'> {
  readonly column: string | null;
  /** As the user wrote it. */
  readonly value: string | null;
  /** The line to name instead of the row's own. */
  readonly line: number | null;
}

/** What a problem is about. */
type Where = Partial<Pick<Complaint, 'column' | 'value' | 'line'>>;

function createWith(severity: Severity) {
  return (code: string, message: string, remedy: string, where: Where = {}): Complaint => {
    return { code, severity, message, remedy, column: null, value: null, line: null, ...where };
  };
}

/** A problem that refuses its row. */
export const createError = createWith('error');
/** A problem that is told, and refuses nothing. */
export const createWarning = createWith('warning');

export function isError({ severity }: Complaint): boolean {
  return severity === 'error';
}

export function toProblem(
  { column, value, line, ...problem }: Complaint,
  place: { readonly file: string; readonly line: number | null; readonly id: string | null },
): Problem {
  return {
    severity: problem.severity,
    code: problem.code,
    file: escapeControls(place.file),
    line: line ?? place.line,
    id: place.id,
    column: column === null ? null : formatShown(column),
    value: value === null ? null : formatShown(value),
    message: problem.message,
    remedy: problem.remedy,
  };
}

/** What a kind found in an input; some findings are about another cell than the input's. */
export function toComplaint(
  { cell, ...finding }: InputFinding,
  input: { readonly column: string; readonly value: string },
): Complaint {
  return { ...finding, ...(cell ?? input), line: null };
}
