/** Makes external text safe to show. Pure. */

/** All control characters except line feed and tab, and characters that change the reading direction. */
const CONTROL = /[^\P{Cc}\n\t]|[\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Messages of services, file names and keys may contain terminal control codes: they are shown as text. */
export function harmless(text: string): string {
  return text.replace(CONTROL, codePoint);
}

/** `\u{1b}` */
export function codePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The first line of an error's message. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return harmless(text.split('\n', 1)[0] ?? '');
}
