/** The message of a service, unchanged as far as it can be stored. */
import { asObject, parseBoundedJson } from '../kinds/json.ts';

/** Characters of a service's message that are kept: it is stored in Temporal histories and tables. */
const WORDS_LIMIT = 2_000;
/** Keys under which services put their message (contract section 7; Django REST and FastAPI say `detail`). */
const WORD_KEYS = ['error', 'message', 'detail', 'errors', 'detail_message'] as const;

export function shorten(text: string, limit = WORDS_LIMIT): string {
  // Twice as many code units contain at least as many characters: the rest of a long text is not split.
  const characters = [...text.slice(0, 2 * limit + 2)];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`;
}

/** The service's message in this body; null when it contains nothing useful for people. */
export function serviceWords(text: string): string | null {
  const json = parseBoundedJson(text);
  if (typeof json === 'string') return nonEmpty(json);
  const object = asObject(json);
  if (object !== null) {
    for (const key of WORD_KEYS) {
      const words = object[key];
      if (typeof words === 'string' && words.trim() !== '') return words;
      // Lists and objects by field name: kept as JSON rather than interpreted.
      if (typeof words === 'object' && words !== null) return JSON.stringify(words);
    }
  }
  if (json !== undefined) return JSON.stringify(json);
  return isWebPage(text) ? pageTitle(text) : nonEmpty(text);
}

export function isWebPage(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body)\b/i.test(text);
}

/** The part of a page that contains its title. Limited, because the pattern takes longer than linear time. */
const HEAD_LENGTH = 4_096;

function pageTitle(html: string): string | null {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html.slice(0, HEAD_LENGTH))?.[1];
  return title === undefined ? null : nonEmpty(title);
}

function nonEmpty(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}
