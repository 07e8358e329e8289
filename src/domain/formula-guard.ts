/**
 * Cells of our tables come from manifests and from services, and are opened in spreadsheets: a cell
 * that such a program would run as a formula gets an apostrophe in front (OWASP, "CSV Injection").
 * failed.csv is a manifest again, so what was put in front can be taken off: apostrophes that a guarded
 * cell has of its own count with it (`'=1` is written `''=1`), and no two cells are written alike.
 */

/** What makes a spreadsheet read a formula, with the full-width forms that East Asian locales take. */
const TRIGGER = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * Signed numbers and names stay as they are (`-1`, `+0.5`, `-1,5e-3`, `-item_7`, a gap `-`): without
 * brackets, quotes, `!`, `|`, or blanks no function is called and no program started.
 */
const HARMLESS = /^'*[+-][A-Za-z0-9._,%+-]*$/;

function isFormula(cell: string): boolean {
  return TRIGGER.test(cell) && !HARMLESS.test(cell);
}

export function guarded(cell: string): string {
  return isFormula(cell) ? `'${cell}` : cell;
}

/** The cell that `guarded` was given. */
export function unguarded(cell: string): string {
  return cell.startsWith("'") && isFormula(cell) ? cell.slice(1) : cell;
}

/** The columns in which failed.csv says the reason; both together tell a manifest that it is one. */
export const REASON_COLUMNS = ['error_code', 'error'] as const;
