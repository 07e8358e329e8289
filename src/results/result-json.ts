/** A result's bytes as JSON: tolerates NaN and Infinity, and distinguishes truncated JSON from other text. */
import { RESULT_PROBLEMS, resultProblem, type ResultProblem } from './result-problems.ts';
import { parseJson } from './json.ts';

type ResultJson = { readonly ok: true; readonly json: unknown } | ResultProblem;

/** Python's `json` writes these for non-finite floats; JSON does not have them (RFC 8259 section 6). */
// An unterminated string extends to the end of the text: retrying at each of its quotes would take forever.
const STRING_OR_NOT_A_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?\b(?:NaN|Infinity)\b/gs;
const STRING_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*("?)|[[{\]}]/gs;

/** @param bytes the result as received, or its text */
export function readResultJson(bytes: Uint8Array | string): ResultJson {
  const decoded = typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes);
  const text = decoded.replace(/^\uFEFF/, '').trim();
  if (text === '') {
    return resultProblem(RESULT_PROBLEMS.empty, 'The service sent an empty result.');
  }
  const json = parseJson(text) ?? parseJson(withoutNotANumber(text));
  if (json !== undefined) return { ok: true, json };
  if (isCutShort(text)) {
    const message = `The result is truncated after ${decoded.length} characters.`;
    return resultProblem(RESULT_PROBLEMS.truncated, message);
  }
  return resultProblem(RESULT_PROBLEMS.notJson, 'The result is not JSON.');
}

function withoutNotANumber(text: string): string {
  return text.replace(STRING_OR_NOT_A_NUMBER, (token) => (token.startsWith('"') ? token : 'null'));
}

/** Begins as an object or array and ends before the last bracket is closed. */
function isCutShort(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  let depth = 0;
  for (const [token, closing] of text.matchAll(STRING_OR_BRACKET)) {
    if (token.startsWith('"')) {
      if (closing !== '"') return true;
    } else {
      depth += token === '{' || token === '[' ? 1 : -1;
    }
  }
  return depth > 0;
}
