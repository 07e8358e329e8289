/** Text from elsewhere in a form that can be shown. Pure. */

/** All control characters but line feed and tab, and what turns the reading direction. */
const CONTROL = /[^\P{Cc}\n\t]|[\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Words of services, file names and keys may hold codes that a terminal obeys: they are shown instead. */
export function harmless(text: string): string {
  return text.replace(CONTROL, (code) => `\\u{${(code.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The first line of an error's message. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return harmless(text.split('\n', 1)[0] ?? '');
}
