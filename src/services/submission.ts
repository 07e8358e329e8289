/**
 * What an answer to a POST means for the job (docs/architecture.md, "Submit is at most once"). The same rule holds
 * for both services; only where the id stands differs.
 */
import type { SubmitOutcome } from '../domain/outcomes.ts';
import { isUsableId } from '../domain/remote-id.ts';
import { SMALL_JSON_LIMIT } from './http-body.ts';
import type { HttpAnswer, HttpResponse } from './http-answer.ts';
import { readRateLimit } from './rate-limit.ts';
import { retryAfterMs, secondsToMs } from './retry-after.ts';
import { asObject } from '../results/json.ts';
import { parseBoundedJson } from './bounded-json.ts';
import { serviceWords, shorten } from './words.ts';

export interface SubmissionReaders {
  /** The job's id in the body or the headers of a 2xx; null where there is none. */
  readonly remoteId: (json: unknown, headers: Headers) => string | null;
}

/**
 * 408 (the request did not arrive whole) and 425 (not willing to act on it now) say by their definition that
 * nothing was done and that the same request may be sent again: not the item's fault, so not `refused`.
 */
const NOT_NOW = new Set([408, 425, 503]);
/**
 * A shorter order, in ms, counts as none: "Retry-After: 0", or a date that has passed, would have us knock without a
 * pause at a service that is overloaded. Without an order the delays grow from a second on.
 */
const SHORTEST_ORDER_MS = 1_000;
/** The request belongs to another address and was not acted upon; 302 and 303 may follow an accepted POST. */
const ELSEWHERE = new Set([301, 307, 308]);

type NotNow = Extract<SubmitOutcome, { type: 'notNow' }>;

export async function readSubmission(
  answer: HttpAnswer,
  readers: SubmissionReaders,
): Promise<SubmitOutcome> {
  switch (answer.type) {
    case 'unreached':
      return notNow('unreachable', answer.message);
    case 'broken':
      return { type: 'unsure', message: answer.message };
    case 'answered':
      return readAnswer(answer, readers);
  }
}

async function readAnswer(
  answer: HttpResponse,
  readers: SubmissionReaders,
): Promise<SubmitOutcome> {
  const { status } = answer;
  const body = await answer.body.text(SMALL_JSON_LIMIT);
  const text = body.type === 'broken' ? '' : body.text;
  const json = parseBoundedJson(text);
  if (status >= 200 && status < 300) return accepted(answer, json, body.type, readers);
  // From here on the status decides: a body that breaks off costs the words, not the outcome.
  const words = serviceWords(text) ?? `HTTP ${status} without a word`;
  const message = shorten(words);
  if (status === 429) return rateLimited(answer, json, message);
  if (NOT_NOW.has(status)) {
    const retry = retryAfterMs(answer.headers, Date.now());
    return notNow('unavailable', `HTTP ${status}: ${message}`, retry);
  }
  if (ELSEWHERE.has(status)) {
    const target = location(answer);
    return notNow('unavailable', `${answer.where} is elsewhere (HTTP ${status}${target})`);
  }
  if (status >= 400 && status < 500) return { type: 'refused', status, message };
  return { type: 'unsure', message: `${answer.where}: HTTP ${status}: ${message}` };
}

function accepted(
  answer: HttpResponse,
  json: unknown,
  body: 'whole' | 'tooLong' | 'broken',
  readers: SubmissionReaders,
): SubmitOutcome {
  const remoteId = readers.remoteId(json, answer.headers);
  if (remoteId !== null && isUsableId(remoteId)) {
    return { type: 'accepted', remoteId, rateLimit: readRateLimit(answer.headers, json) };
  }
  const why = body === 'broken' ? 'its body broke off' : 'its body has no job id that can be used';
  return { type: 'unsure', message: `${answer.where}: HTTP ${answer.status}, but ${why}` };
}

function rateLimited(answer: HttpResponse, json: unknown, message: string): SubmitOutcome {
  const rateLimit = readRateLimit(answer.headers, json);
  const resetAfter = Number(asObject(json)?.['reset_after'] ?? Number.NaN);
  const retry =
    retryAfterMs(answer.headers, Date.now()) ??
    secondsToMs(resetAfter) ??
    secondsToMs(rateLimit?.resetAfterSeconds ?? Number.NaN);
  return { ...notNow('rate-limited', message, retry), rateLimit };
}

function notNow(reason: NotNow['reason'], message: string, order: number | null = null): NotNow {
  const retryAfterMs = order !== null && order < SHORTEST_ORDER_MS ? null : order;
  return { type: 'notNow', reason, retryAfterMs, message, rateLimit: null };
}

function location(answer: HttpResponse): string {
  const target = answer.headers.get('location');
  // Without the query: it may repeat what was sent.
  return target === null ? '' : ` to ${target.replace(/[?#].*$/, '')}`;
}
