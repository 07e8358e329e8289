/** Makes external text safe: to show in a terminal, to type in a shell, to open in a spreadsheet. Pure. */

/** All control characters except line feed and tab, and characters that change the reading direction. */
const CONTROL = /[^\P{Cc}\n\t]|[\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Messages of services, file names and keys may contain terminal control codes: they are shown as text. */
export function escapeUnsafe(text: string): string {
  return text.replace(CONTROL, formatCodePoint);
}

/** `\u{1b}` */
function formatCodePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Maximum number of characters shown of a user's value. */
const SHOWN = 80;

/** A user's value in a message: short, on one line, and without terminal control codes. */
export function formatShown(value: string): string {
  const head = [...value.slice(0, 2 * SHOWN)];
  const short = head.length > SHOWN ? `${head.slice(0, SHOWN - 1).join('')}…` : head.join('');
  return escapeControls(short);
}

/** The same, set apart from the words around it. */
export function quote(value: string): string {
  return `\`${formatShown(value)}\``;
}

export function list(names: readonly string[]): string {
  return names.map(quote).join(', ');
}

/** Complete, with control codes escaped. */
export function escapeControls(value: string): string {
  return value.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escapeCharacter);
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeCharacter(character: string): string {
  return NAMED[character] ?? formatCodePoint(character);
}

/** A remedy that begins with a likely correction, if there is one. */
export function suggestOr(suggestion: string | null, otherwise: string): string {
  return suggestion === null ? otherwise : `Did you mean \`${suggestion}\`? ${otherwise}`;
}

/** A word of a command as it is typed in a shell. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) && !word.startsWith('-')
    ? word
    : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Cells of our tables come from manifests and services, and are opened in spreadsheets and printed in terminals. A text
 * that a spreadsheet would run as a formula gets an apostrophe in front (OWASP, "CSV Injection"): at the start of a
 * cell, and also after a semicolon, a tab or a line break, because a spreadsheet that uses those as separators ignores
 * our quotes. Control codes, which a terminal would execute, are escaped: `\u{1b}`. failed.csv is a manifest again, so
 * both can be undone: a guarded piece's own apostrophes are counted with ours (`'=1` is written `''=1`), a backslash
 * that looks like ours is escaped too, and different cells are always written differently.
 */

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
