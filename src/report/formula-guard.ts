/**
 * Cells of our tables come from manifests and from services, and are opened in spreadsheets: a cell
 * that such a program would run as a formula gets an apostrophe in front (OWASP, "CSV Injection").
 */

/** What makes a spreadsheet read a formula, with the full-width forms that East Asian locales take. */
const TRIGGER = /^[=+\-@\t\r＝＋－＠]/;

/**
 * Signed numbers and names stay as they are (`-1`, `+0.5`, `-1,5e-3`, `-item_7`, a gap `-`): without
 * brackets, quotes, `!`, `|`, or blanks no function is called and no program started.
 */
const HARMLESS = /^[+-][A-Za-z0-9._,%+-]*$/;

export function guarded(cell: string): string {
  return TRIGGER.test(cell) && !HARMLESS.test(cell) ? `'${cell}` : cell;
}
