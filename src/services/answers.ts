/** What an answer says, of any service: its words, the wait that it requests, whether it refuses us, where a redirect leads. */
import { z } from 'zod';
import type { Unavailable } from '../domain/outcomes.ts';
import { toObject, parseBoundedJson, parseJson, readLooseText, scanJson } from '../kinds/json.ts';
import type { BodyText, HttpAnswer, HttpFailure, HttpResponse } from './http.ts';
import type {
  Answer,
  Answers,
  AnswersFor,
  FileMeaning,
  ListMeaning,
  Meaning,
  PollMeaning,
  ProbeMeaning,
  SubmitMeaning,
} from './service.ts';

function readLooseNumber(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export const looseText = z.unknown().optional().transform(readLooseText);

export const looseNumber = z.unknown().optional().transform(readLooseNumber);

/** Characters of a service's message that are kept: it is stored in Temporal histories and tables. */
const WORDS_LIMIT = 2_000;
/** Keys under which services put their message (contract section 7; Django REST and FastAPI say `detail`). */
const WORD_KEYS = ['error', 'message', 'detail', 'errors', 'detail_message'] as const;

export function shortenText(text: string, limit = WORDS_LIMIT): string {
  // Twice as many code units contain at least as many characters: the rest of a long text is not split.
  const characters = [...text.slice(0, 2 * limit + 2)];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`;
}

/** The service's message in this body; null when it contains nothing useful for people. */
export function readServiceWords(text: string): string | null {
  const json = parseBoundedJson(text);
  if (typeof json === 'string') return nullIfEmpty(json);
  const object = toObject(json);
  if (object !== null) {
    for (const key of WORD_KEYS) {
      const words = object[key];
      if (typeof words === 'string' && words.trim() !== '') return words;
      // Lists and objects by field name: kept as JSON rather than interpreted.
      if (typeof words === 'object' && words !== null) return JSON.stringify(words);
    }
  }
  if (json !== undefined) return JSON.stringify(json);
  return isWebPage(text) ? readPageTitle(text) : nullIfEmpty(text);
}

export function isWebPage(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body)\b/i.test(text);
}

/** The part of a page that contains its title. Limited, because the pattern takes longer than linear time. */
const HEAD_LENGTH = 4_096;

function readPageTitle(html: string): string | null {
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(html.slice(0, HEAD_LENGTH))?.[1];
  return title === undefined ? null : nullIfEmpty(title);
}

function nullIfEmpty(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}

/**
 * Longest wait that is obeyed exactly. The longest that the contracts can mean is their window, an hour; a
 * `Retry-After` of years, caused by a wrong unit or clock, must not end a campaign. After an hour we try again; a
 * service that meant it gets one request per hour.
 */
const MAX_ORDER_MS = 3_600_000;

/**
 * Reads `Retry-After` (RFC 9110 section 10.2.3): seconds or a date. A date is compared with the answer's own `Date` if
 * it has one, so that a skewed clock on either side does not shorten or extend the wait.
 * @param now ms since the epoch, for an answer without a date of its own
 */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const value = headers.get('retry-after')?.trim();
  if (value === undefined || value === '') return null;
  if (/^\d+(?:\.\d+)?$/.test(value)) return convertToMs(Number(value));
  // The runtime reads "-3" as a date: only values that begin like a date are parsed as one.
  const until = /^(?:[A-Za-z]{3,9},? |\d{4}-\d\d-\d\d)/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(until)) return null;
  const sent = Date.parse(headers.get('date') ?? '');
  return limitOrder(until - (Number.isNaN(sent) ? now : sent));
}

/** Seconds, as given by a service, in whole ms rounded up: never earlier than requested. */
export function convertToMs(seconds: number): number | null {
  return Number.isFinite(seconds) && seconds >= 0 ? limitOrder(Math.ceil(seconds * 1000)) : null;
}

function limitOrder(ms: number): number {
  return Math.min(MAX_ORDER_MS, Math.max(0, ms));
}

/** Statuses of a permanent change of address (RFC 9110, 15.4.2 and 15.4.9). */
export const PERMANENT: readonly number[] = [301, 308];

/**
 * Null when it is not a redirect, or has no http address.
 * @param form `shown`: without user name, password, query and fragment
 */
export function resolveRedirect(
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  from: URL,
  form: 'shown' | 'whole' = 'shown',
): string | null {
  const location = headers.get('location');
  if (status < 300 || status >= 400 || location === null) return null;
  const target = URL.parse(location, from.href);
  if (target === null || !/^https?:$/.test(target.protocol)) return null;
  return form === 'whole' ? target.href : target.origin + target.pathname;
}

/** What a redirect means and what to do about a permanent one; null for every other answer. */
export function describeRedirect(answer: HttpResponse): string | null {
  if (answer.status < 300 || answer.status >= 400) return null;
  const url = URL.parse(answer.where.replace(/^\w+ /, ''));
  const target = url && resolveRedirect(answer, url);
  if (target === null) return null;
  if (!PERMANENT.includes(answer.status)) return `a redirect to ${target}, which is not followed`;
  return `moved permanently to ${target}: change the url of the service in the configuration`;
}

export function isAnswered(answer: HttpAnswer): answer is HttpResponse {
  return answer.type === 'answered';
}

export function createConnectionFailed(failure: HttpFailure): Unavailable {
  const refused = isRefusedAtProxy(failure);
  const { message } = failure;
  return { type: 'unavailable', message, retryAfterMs: null, ...(refused && { refusesUs: true }) };
}

/** A proxy in between requires a login, or blocks access to the service. */
export function isRefusedAtProxy({ code }: Pick<HttpFailure, 'code'>): boolean {
  return /^PROXY_4\d\d$/.test(code);
}

export function createUnavailable(message: string): Unavailable {
  return { type: 'unavailable', message, retryAfterMs: null };
}

/** Discards the body and describes the status in words. */
export async function discardAsUnavailable(
  answer: HttpResponse,
  why: string | null = explainAnswer(answer),
): Promise<Unavailable> {
  await answer.body.discard();
  return {
    type: 'unavailable',
    message: `${answer.where}: HTTP ${answer.status}${why === null ? '' : `, ${why}`}`,
    retryAfterMs: retryAfterMs(answer.headers, Date.now()),
    ...(isRefusal(answer) && { refusesUs: true }),
  };
}

function explainAnswer(answer: HttpResponse): string | null {
  if (isPage(answer)) return 'a web page instead of an answer';
  return describeRedirect(answer);
}

/**
 * Statuses of an answer to a GET that concern us and not the job: any other request would get the same. 511 is a login
 * page of the network (RFC 6585).
 */
const REFUSALS: readonly (number | '3xx')[] = [401, 403, 405, 407, 426, 511, '3xx'];
const REFUSED: ReadonlySet<unknown> = new Set(REFUSALS);

export function isRefusal(answer: Pick<HttpResponse, 'status' | 'headers'>): boolean {
  const { status } = answer;
  return REFUSED.has(status) || REFUSED.has(`${Math.floor(status / 100)}xx`) || isPage(answer);
}

function isPage(answer: Pick<HttpResponse, 'status' | 'headers'>): boolean {
  return answer.status < 300 && isWebPageAnswer(answer);
}

/**
 * A maintenance or login page that a proxy sends with 200 is not a result. The content type alone is not trusted if the
 * body can be checked: a service may label its JSON text/html.
 */
export function isWebPageAnswer(answer: Pick<HttpResponse, 'headers'>): boolean {
  return /^text\/html\b/i.test(answer.headers.get('content-type') ?? '');
}

/** A page in place of JSON comes from a proxy, whatever its status and its label: the service has not seen the request. */
function isPageText(answer: Pick<HttpResponse, 'headers'>, text: string): boolean {
  return isWebPage(text) || (isWebPageAnswer(answer) && !startsAsJson(text));
}

/** Begins like the JSON objects and arrays of both services, and unlike any page. */
export function startsAsJson(text: string): boolean {
  return /^\uFEFF?\s*[[{]/.test(text);
}

export function resolveAnswers<O, S, C>(answers: AnswersFor<O, S, C>, config: C): Answers<O, S> {
  return typeof answers === 'function' ? answers(config) : answers;
}

/** An exact status counts before its class. A 429 is about us, and never in the class. */
export function findMeaning<O>(
  answers: Readonly<Partial<Record<number | `${number}xx`, O>>>,
  status: number,
): O | undefined {
  const exact = answers[status];
  if (exact !== undefined || status === 429) return exact;
  return answers[`${Math.floor(status / 100)}xx` as '4xx'];
}

/** @param body as far as it was read */
export function readAnswer(answer: HttpResponse, url: URL, body: BodyText): Answer {
  const { status, headers } = answer;
  const text = body.type === 'broken' ? '' : body.text;
  const isTooLarge = body.type === 'tooLong' || scanJson(text).tooComplex !== null;
  return {
    status,
    path: url.pathname,
    headers,
    text,
    json: isTooLarge ? undefined : parseJson(text),
    isTooLarge,
    isPage: isPageText(answer, text),
    location: resolveRedirect(answer, url, 'whole'),
    nextLink: nextLink(headers, url),
  };
}

/** The types of all outcomes, by table: a definition may be JavaScript, and return anything. */
export const OUTCOMES = {
  submit: ['accepted', 'refused', 'nameTaken', 'notNow'],
  poll: ['running', 'finished', 'failed', 'deleted', 'unknown'],
  fetch: ['absent', 'notYet', 'at'],
  list: ['page', 'unsupported'],
  probe: ['right'],
} as const satisfies {
  readonly submit: readonly SubmitMeaning['type'][];
  readonly poll: readonly PollMeaning['type'][];
  readonly fetch: readonly FileMeaning['type'][];
  readonly list: readonly ListMeaning['type'][];
  readonly probe: readonly ProbeMeaning['type'][];
};

/** Null if the definition does not understand it, or says what is no outcome of the table. */
export function interpret<O extends { readonly type: string }, S>(
  table: keyof typeof OUTCOMES,
  meaning: Meaning<O, S>,
  answer: Answer,
  subject: S,
): O | null {
  const types: readonly (string | undefined)[] = OUTCOMES[table];
  try {
    const said = typeof meaning === 'function' ? meaning(answer, subject) : meaning;
    return types.includes(said?.type) ? said : null;
  } catch {
    // What a faulty definition would have said is not known: the answer means what it means for any service.
    return null;
  }
}

/** RFC 8288: `Link: <https://…>; rel="next"`. */
function nextLink(headers: Headers, from: URL): string | null {
  for (const [, target = '', parameters = ''] of (headers.get('link') ?? '').matchAll(
    /<([^>]*)>([^<]*)/g,
  ))
    if (/;\s*rel\s*=\s*"?(?:[^"]*\s)?next(?:\s|"|;|,|$)/i.test(parameters))
      return URL.parse(target, from.href)?.href ?? null;
  return null;
}
