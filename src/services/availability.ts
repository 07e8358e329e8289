/** Answers to a GET that say nothing about the job: the question is put again later. */
import type { HttpAnswer, HttpFailure, HttpResponse } from './http-answer.ts';
import { redirectWords } from './redirect.ts';
import { retryAfterMs } from './retry-after.ts';

export interface Unavailable {
  readonly type: 'unavailable';
  readonly message: string;
  /** What the service ordered, in ms; null when it said nothing. */
  readonly retryAfterMs: number | null;
}

export function isAnswered(answer: HttpAnswer): answer is HttpResponse {
  return answer.type === 'answered';
}

export function connectionFailed(failure: HttpFailure): Unavailable {
  return { type: 'unavailable', message: failure.message, retryAfterMs: null };
}

/** Throws the body away and tells the status in words. */
export async function unavailable(answer: HttpResponse, why?: string): Promise<Unavailable> {
  await answer.body.discard();
  const said = why ?? redirectWords(answer);
  return {
    type: 'unavailable',
    message: `${answer.where}: HTTP ${answer.status}${said === null ? '' : `, ${said}`}`,
    retryAfterMs: retryAfterMs(answer.headers, Date.now()),
  };
}

/**
 * A maintenance or login page that a proxy sends with 200 is no result. The label alone is not believed where the body
 * can be looked at: a service may call its JSON text/html.
 */
export function isWebPageAnswer(answer: HttpResponse): boolean {
  return /^text\/html\b/i.test(answer.headers.get('content-type') ?? '');
}

/** Begins as the JSON objects and arrays of both services do, and as no page does. */
export function beginsAsJson(text: string): boolean {
  return /^\uFEFF?\s*[[{]/.test(text);
}
