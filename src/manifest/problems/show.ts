/** Shows a user's value in a message: short, on one line, and without terminal control codes. */

/** Maximum number of characters shown. */
const SHOWN = 80;

export function shown(value: string): string {
  const head = [...value.slice(0, 2 * SHOWN)];
  const short = head.length > SHOWN ? `${head.slice(0, SHOWN - 1).join('')}…` : head.join('');
  return escapeControls(short);
}

/** Complete, with control codes escaped. */
export function escapeControls(value: string): string {
  return value.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escaped);
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return NAMED[character] ?? `\\u{${code.toString(16)}}`;
}
