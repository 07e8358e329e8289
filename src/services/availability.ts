/** Answers to a GET that say nothing about the job: the request is repeated later. */
import type { Unavailable } from '../domain/outcomes.ts';
import type { HttpAnswer, HttpFailure, HttpResponse } from './http-answer.ts';
import { redirectWords } from './redirect.ts';
import { retryAfterMs } from './retry-after.ts';
import { isWebPage } from './words.ts';

export function isAnswered(answer: HttpAnswer): answer is HttpResponse {
  return answer.type === 'answered';
}

export function connectionFailed(failure: HttpFailure): Unavailable {
  const refused = refusesAtProxy(failure);
  const { message } = failure;
  return { type: 'unavailable', message, retryAfterMs: null, ...(refused && { refusesUs: true }) };
}

/** A proxy in between requires a login, or blocks access to the service. */
export function refusesAtProxy({ code }: Pick<HttpFailure, 'code'>): boolean {
  return /^PROXY_4\d\d$/.test(code);
}

/** Discards the body and describes the status in words. */
export async function unavailable(
  answer: HttpResponse,
  why: string | null = whyOf(answer),
): Promise<Unavailable> {
  await answer.body.discard();
  return {
    type: 'unavailable',
    message: `${answer.where}: HTTP ${answer.status}${why === null ? '' : `, ${why}`}`,
    retryAfterMs: retryAfterMs(answer.headers, Date.now()),
    ...(refusesUs(answer) && { refusesUs: true }),
  };
}

function whyOf(answer: HttpResponse): string | null {
  if (isPage(answer)) return 'a web page instead of an answer';
  return redirectWords(answer);
}

/**
 * Statuses of an answer to a GET that concern us and not the job: any other request would get the same. 511 is a login
 * page of the network (RFC 6585).
 */
export const REFUSALS: readonly (number | '3xx')[] = [401, 403, 405, 407, 426, 511, '3xx'];
const REFUSED: ReadonlySet<unknown> = new Set(REFUSALS);

export function refusesUs(answer: Pick<HttpResponse, 'status' | 'headers'>): boolean {
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
export function isPageText(answer: Pick<HttpResponse, 'headers'>, text: string): boolean {
  return isWebPage(text) || (isWebPageAnswer(answer) && !beginsAsJson(text));
}

/** Begins like the JSON objects and arrays of both services, and unlike any page. */
export function beginsAsJson(text: string): boolean {
  return /^\uFEFF?\s*[[{]/.test(text);
}
