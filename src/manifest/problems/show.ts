/**
 * How a value of the user's is shown in a message: short, on one line, and harmless to a terminal.
 */

/** Characters of a value that are shown at most. */
const SHOWN = 80;

export function shown(value: string): string {
  const head = [...value.slice(0, 2 * SHOWN)];
  const short = head.length > SHOWN ? `${head.slice(0, SHOWN - 1).join('')}…` : head.join('');
  return harmless(short);
}

/** The whole of it, with what would act on a terminal spelled out. */
export function harmless(value: string): string {
  return value.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, escaped);
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return NAMED[character] ?? `\\u{${code.toString(16)}}`;
}
