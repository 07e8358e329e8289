/**
 * JSON of a service, looked over before it is parsed: a few megabytes of brackets become gigabytes of objects, and
 * brackets nested a thousand deep overflow the stack of whoever walks through them.
 */
import { parseJson } from '../results/json.ts';

/** Levels. The results of both services have at most seven. */
const DEEPEST = 100;
/** Objects, lists and keys together: of 40 to 100 bytes each in memory. The largest known result has some 20,000. */
const MOST_PARTS = 2_000_000;

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const OPENING: readonly number[] = [0x5b, 0x7b];
const CLOSING: readonly number[] = [0x5d, 0x7d];

/**
 * Why the text is not to be parsed; null when it may be. Says nothing about whether it is JSON.
 * @param text UTF-8 bytes, or characters
 */
export function complexity(text: Uint8Array | string): string | null {
  const length = text.length;
  const at: (place: number) => number | undefined =
    typeof text === 'string' ? (place) => text.charCodeAt(place) : (place) => text[place];
  let [depth, parts, inString] = [0, 0, false];
  for (let place = 0; place < length; place += 1) {
    const code = at(place) ?? 0;
    if (inString) {
      if (code === BACKSLASH) place += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === COLON) parts += 1;
    else if (OPENING.includes(code)) {
      parts += 1;
      depth += 1;
      if (depth > DEEPEST) return `nested more than ${DEEPEST} levels deep`;
    } else if (CLOSING.includes(code)) depth -= 1;
    if (parts > MOST_PARTS) return `more than ${MOST_PARTS} objects, lists and keys`;
  }
  return null;
}

/** Parses JSON; undefined where the text is none, or too complex. */
export function parseBoundedJson(text: string): unknown {
  return complexity(text) === null ? parseJson(text) : undefined;
}
