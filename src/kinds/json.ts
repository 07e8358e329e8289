/**
 * Reads JSON of a service without assumptions: not all fields are documented, files may be truncated, and a few megabytes
 * of brackets become gigabytes of objects.
 */
import type { ItemEndCode } from '../domain/item-ends.ts';

/** Parses JSON; undefined if the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A JSON object by its keys, or null. */
export function toObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** Text, also if the service sends a number or a flag; null for all else. */
export function readLooseText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

/** Levels. The results of both services have at most seven. */
const DEEPEST = 100;
/** Objects, lists and keys together: of 40 to 100 bytes each in memory. The largest known result has some 20,000. */
const MAX_PARTS = 2_000_000;

/** What begins or ends a part. A search skips the digits, most of a result, ten times as fast as a loop over its bytes. */
const SIGN = /["[\]{}:]/g;

/**
 * Why the text must not be parsed, or null; and whether it ends inside a string, an object or a list. Does not check
 * whether it is JSON.
 */
export function scanJson(text: string) {
  let [depth, parts] = [0, 0];
  const signs = new RegExp(SIGN);
  while (signs.test(text)) {
    const sign = text.charAt(signs.lastIndex - 1);
    if (sign === '"') signs.lastIndex = findStringEnd(text, signs.lastIndex);
    if (signs.lastIndex > text.length) return { tooComplex: null, isOpen: true };
    if (sign === ']' || sign === '}') depth -= 1;
    if (sign === '[' || sign === '{') depth += 1;
    if (sign === '[' || sign === '{' || sign === ':') parts += 1;
    if (depth > DEEPEST) {
      return { tooComplex: `nested more than ${DEEPEST} levels deep`, isOpen: true };
    }
    if (parts > MAX_PARTS) {
      return { tooComplex: `more than ${MAX_PARTS} objects, lists and keys`, isOpen: true };
    }
  }
  return { tooComplex: null, isOpen: depth > 0 };
}

/** The place after the quote that ends the string; beyond the end of the text if there is none. */
function findStringEnd(text: string, begin: number): number {
  let place = begin;
  for (; place < text.length && text[place] !== '"'; place += 1) {
    if (text[place] === '\\') place += 1;
  }
  return place + 1;
}

/** Parses JSON; undefined if the text is not JSON or too complex. */
export function parseBoundedJson(text: string): unknown {
  return scanJson(text).tooComplex === null ? parseJson(text) : undefined;
}

type ResultJson = { readonly ok: true; readonly json: unknown } | ResultProblem;

/** Python's `json` writes these for non-finite floats; JSON does not have them (RFC 8259 section 6). */
// An unterminated string extends to the end of the text: retrying at each of its quotes would take forever.
const STRING_OR_NOT_A_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\b(?:NaN|Infinity)\b/gs;

/** @param bytes the result as received, or its text */
export function readResultJson(bytes: Uint8Array | string): ResultJson {
  const decoded = typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes);
  const text = decoded.replace(/^\uFEFF/, '').trim();
  if (text === '') {
    return createResultProblem('RESULT_EMPTY', 'The service sent an empty result.');
  }
  const { tooComplex, isOpen } = scanJson(text);
  if (tooComplex !== null) {
    const message = `The result is ${tooComplex}, which no result of this service is.`;
    return createResultProblem('RESULT_TOO_COMPLEX', message);
  }
  const json = parseJson(text) ?? parseJson(replaceNotANumbers(text));
  if (json !== undefined) return { ok: true, json };
  if (isOpen && /^[[{]/.test(text)) {
    const message = `The result is truncated after ${decoded.length} characters.`;
    return createResultProblem('RESULT_TRUNCATED', message);
  }
  return createResultProblem('RESULT_NOT_JSON', 'The result is not JSON.');
}

function replaceNotANumbers(text: string): string {
  return text.replace(STRING_OR_NOT_A_NUMBER, (token) => (token.startsWith('"') ? token : 'null'));
}

export interface ResultProblem {
  readonly ok: false;
  readonly code: ItemEndCode & `RESULT_${string}`;
  /** What is wrong, in a sentence. */
  readonly message: string;
}

export function createResultProblem(code: ResultProblem['code'], message: string): ResultProblem {
  return { ok: false, code, message };
}
