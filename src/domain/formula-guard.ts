/**
 * Cells of our tables come from manifests and services, and are opened in spreadsheets and printed in terminals. A text
 * that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, "CSV Injection"): at the start of a
 * cell, and also after a semicolon, a tab or a line break, because a spreadsheet that uses those as separators ignores
 * our quotes. Control codes, which a terminal would execute, are escaped: `\u{1b}`. failed.csv is a manifest again, so
 * both can be undone: a guarded piece's own apostrophes are counted with ours (`'=1` is written `''=1`), a backslash
 * that looks like ours is escaped too, and different cells are always written differently.
 */
import { formatCodePoint } from './plain-text.ts';

/** A piece whose beginning makes a spreadsheet read a formula, including the full-width forms of East Asian locales. */
const PIECE = /(^|[;\t\r\n])('*"*[=+\-@＝＋－＠][^;\t\r\n]*)/g;

/** Some programs strip leading white space and run what follows. */
const BLANK_FIRST = /^'*[\t\r\n]/;

/**
 * Signed numbers and names are unchanged (`-1`, `+0.5`, `-1,5e-3`, `-item_7`, a gap `-`): without brackets, quotes,
 * `!`, `|`, or blanks they cannot call a function or start a program.
 */
const HARMLESS = /^'*[+-][A-Za-z0-9._,%+-]*$/;

/** All control codes except tab and line breaks, and a backslash that looks like the start of an escape. */
const WRITTEN_OUT = /[^\P{Cc}\t\r\n]|\\(?=u\{[0-9a-f]{1,2}\})/gu;
const WRITTEN = /\\u\{([0-9a-f]{1,2})\}/g;

/** Most cells contain none of these. */
const ODD = /[\p{Cc}\\=+\-@＝＋－＠]/u;

export function guardCell(cell: string): string {
  if (!ODD.test(cell) || HARMLESS.test(cell)) return cell;
  const visible = cell.replace(WRITTEN_OUT, formatCodePoint);
  const first = BLANK_FIRST.test(visible) ? "'" : '';
  return first + replaceFormulas(visible, (piece) => `'${piece}`);
}

/** The cell that was passed to `guardCell`. */
export function unguardCell(cell: string): string {
  if (!ODD.test(cell)) return cell;
  const first = cell.startsWith("'") && BLANK_FIRST.test(cell) ? cell.slice(1) : cell;
  const bare = replaceFormulas(first, (piece) => (piece.startsWith("'") ? piece.slice(1) : piece));
  return bare.replace(WRITTEN, (_, code: string) => String.fromCodePoint(parseInt(code, 16)));
}

/** A piece in the middle is checked alone; at the start of a cell, the whole cell is checked. */
function replaceFormulas(cell: string, written: (piece: string) => string): string {
  return cell.replace(PIECE, (all, before: string, piece: string) =>
    HARMLESS.test(before === '' ? cell : piece) ? all : before + written(piece),
  );
}

/** The columns of failed.csv with the reason; a manifest with both is a failed.csv. */
export const REASON_COLUMNS = ['error_code', 'error'] as const;
