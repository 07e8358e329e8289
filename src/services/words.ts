/** The words of a service, letter by letter, as far as they are fit to be kept: short, and without the token. */
import { asObject, parseJson } from '../results/json.ts';

/** Characters of a service's message that are kept: it travels through Temporal histories and tables. */
export const WORDS_LIMIT = 2_000;
/** Where services put their words (contract section 7; Django REST and FastAPI say `detail`). */
const WORD_KEYS = ['error', 'message', 'detail', 'errors', 'detail_message'] as const;

export type Redact = (text: string) => string;

/** A token shorter than this may be part of ordinary words, and is hidden only where it stands alone. */
const DISTINCT_TOKEN = 8;

/** Hides a credential in what a service says: some services repeat the request in their refusals. */
export function createRedact(token: string): Redact {
  if (token === '') return (text) => text;
  const escaped = JSON.stringify(token).slice(1, -1);
  const forms = [...new Set([token, escaped, encodeURIComponent(token)])].map((form) =>
    form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  const any = `(?:${forms.join('|')})`;
  const pattern = token.length < DISTINCT_TOKEN ? `(?<![\\w-])${any}(?![\\w-])` : any;
  const expression = new RegExp(pattern, 'g');
  return (text) => text.replace(expression, '[token]');
}

export function shorten(text: string, limit = WORDS_LIMIT): string {
  const characters = [...text];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`;
}

/** What the service says in this body; null when it says nothing that a person could use. */
export function serviceWords(text: string): string | null {
  const json = parseJson(text);
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

function pageTitle(html: string): string | null {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html)?.[1];
  return title === undefined ? null : nonEmpty(title);
}

function nonEmpty(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}
