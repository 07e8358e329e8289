/**
 * Cells of our tables come from manifests and from services, and are opened in spreadsheets and printed in terminals.
 * What a spreadsheet would run as a formula gets an apostrophe in front (OWASP, "CSV Injection"): at the start of a
 * cell, and also after a semicolon, a tab or a line break, because a spreadsheet that takes those for separators does
 * not heed our quotes. Control codes, which a terminal obeys, are written out: `\u{1b}`.
 * failed.csv is a manifest again, so both can be undone: apostrophes that a guarded piece has of its own count with it
 * (`'=1` is written `''=1`), a backslash that looks like ours is written out too, and no two cells are written alike.
 */

/** A piece that begins with what makes a spreadsheet read a formula, with the full-width forms of East Asian locales. */
const PIECE = /(^|[;\t\r\n])('*"*[=+\-@＝＋－＠][^;\t\r\n]*)/g;

/** White space in front is stripped by some, and what follows is run. */
const BLANK_FIRST = /^'*[\t\r\n]/;

/**
 * Signed numbers and names stay as they are (`-1`, `+0.5`, `-1,5e-3`, `-item_7`, a gap `-`): without
 * brackets, quotes, `!`, `|`, or blanks no function is called and no program started.
 */
const HARMLESS = /^'*[+-][A-Za-z0-9._,%+-]*$/;

/** All control codes but tab and line breaks, and a backslash that would be read as the start of one written out. */
const WRITTEN_OUT = /[^\P{Cc}\t\r\n]|\\(?=u\{[0-9a-f]{1,2}\})/gu;
const WRITTEN = /\\u\{([0-9a-f]{1,2})\}/g;

/** Most cells hold none of all this. */
const ODD = /[\p{Cc}\\=+\-@＝＋－＠]/u;

export function guarded(cell: string): string {
  if (!ODD.test(cell) || HARMLESS.test(cell)) return cell;
  const visible = cell.replace(
    WRITTEN_OUT,
    (code) => `\\u{${(code.codePointAt(0) ?? 0).toString(16)}}`,
  );
  const first = BLANK_FIRST.test(visible) ? "'" : '';
  return first + eachFormula(visible, (piece) => `'${piece}`);
}

/** The cell that `guarded` was given. */
export function unguarded(cell: string): string {
  if (!ODD.test(cell)) return cell;
  const first = cell.startsWith("'") && BLANK_FIRST.test(cell) ? cell.slice(1) : cell;
  const bare = eachFormula(first, (piece) => (piece.startsWith("'") ? piece.slice(1) : piece));
  return bare.replace(WRITTEN, (_, code: string) => String.fromCodePoint(parseInt(code, 16)));
}

/** A piece in the middle is judged alone; at the start of a cell, all of it is what a spreadsheet may read. */
function eachFormula(cell: string, written: (piece: string) => string): string {
  return cell.replace(PIECE, (all, before: string, piece: string) =>
    HARMLESS.test(before === '' ? cell : piece) ? all : before + written(piece),
  );
}

/** The columns in which failed.csv says the reason; both together tell a manifest that it is one. */
export const REASON_COLUMNS = ['error_code', 'error'] as const;
