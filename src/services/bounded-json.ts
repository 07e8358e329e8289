/**
 * Checks JSON of a service before it is parsed: a few megabytes of brackets become gigabytes of objects, and brackets
 * nested a thousand deep overflow the stack of the code that walks through them.
 */
import { parseJson } from '../results/json.ts';

/** Levels. The results of both services have at most seven. */
const DEEPEST = 100;
/** Objects, lists and keys together: of 40 to 100 bytes each in memory. The largest known result has some 20,000. */
const MOST_PARTS = 2_000_000;

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
/** `[` and `{`; `]` and `}`: they differ by one bit, which is set here. */
const [OPENING, CLOSING, CURLY] = [0x7b, 0x7d, 0x20];

/**
 * Why the text must not be parsed; null when it may be. Does not check whether it is JSON.
 * @param text UTF-8 bytes, or characters
 */
export function complexity(text: Uint8Array | string): string | null {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  let [depth, parts] = [0, 0];
  for (let place = 0; place < bytes.length; place += 1) {
    const code = bytes[place] ?? 0;
    if (code === QUOTE) place = endOfString(bytes, place);
    else if (code === COLON) parts += 1;
    else if ((code | CURLY) === OPENING) {
      parts += 1;
      depth += 1;
    } else if ((code | CURLY) === CLOSING) depth -= 1;
    if (depth > DEEPEST) return `nested more than ${DEEPEST} levels deep`;
    if (parts > MOST_PARTS) return `more than ${MOST_PARTS} objects, lists and keys`;
  }
  return null;
}

/** The position of the quote that ends the string, or the end of the text. */
function endOfString(bytes: Uint8Array, begin: number): number {
  let place = begin + 1;
  for (; place < bytes.length && bytes[place] !== QUOTE; place += 1) {
    if (bytes[place] === BACKSLASH) place += 1;
  }
  return place;
}

/** Parses JSON; undefined if the text is not JSON or too complex. */
export function parseBoundedJson(text: string): unknown {
  return complexity(text) === null ? parseJson(text) : undefined;
}
