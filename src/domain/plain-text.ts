/** Makes external text safe to show. Pure. */

/** All control characters except line feed and tab, and characters that change the reading direction. */
const CONTROL = /[^\P{Cc}\n\t]|[\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Messages of services, file names and keys may contain terminal control codes: they are shown as text. */
export function escapeUnsafe(text: string): string {
  return text.replace(CONTROL, formatCodePoint);
}

/** `\u{1b}` */
export function formatCodePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The first line of an error's message. */
export function toReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return escapeUnsafe(text.split('\n', 1)[0] ?? '');
}

/** Maximum number of characters shown of a user's value. */
const SHOWN = 80;

/** A user's value in a message: short, on one line, and without terminal control codes. */
export function formatShown(value: string): string {
  const head = [...value.slice(0, 2 * SHOWN)];
  const short = head.length > SHOWN ? `${head.slice(0, SHOWN - 1).join('')}…` : head.join('');
  return escapeControls(short);
}

export function list(names: readonly string[]): string {
  return names.map((name) => `\`${formatShown(name)}\``).join(', ');
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
