/** The problems of manifests and their rows: what was found, and the place. */
import { escapeControls, formatShown } from '../domain/plain-text.ts';
import type { Problem } from '../domain/campaign.ts';
import type { Finding } from '../kinds/kind.ts';

export function isError({ severity }: Finding): boolean {
  return severity === 'error';
}

export function toProblem(
  { severity, code, message, remedy, column = null, value = null, line = null }: Finding,
  place: { readonly file: string; readonly line: number | null; readonly id: string | null },
): Problem {
  return {
    severity,
    code,
    file: escapeControls(place.file),
    line: line ?? place.line,
    id: place.id,
    column: column === null ? null : formatShown(column),
    value: value === null ? null : formatShown(value),
    message,
    remedy,
  };
}
