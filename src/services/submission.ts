/**
 * What an answer to a POST means for the job (docs/architecture.md, "Submit is at most once"). The same rule applies to
 * every service; only the place of the id differs.
 */
import type { PingOutcome, SubmitOutcome, RateLimitSeen } from '../domain/outcomes.ts';
import { redirectWords } from './redirect.ts';
import { isUsableId } from '../domain/remote-id.ts';
import { SMALL_JSON_LIMIT } from './http-body.ts';
import type { HttpAnswer, HttpFailure, HttpResponse } from './http-answer.ts';
import { isSentBack } from './submission-line.ts';
import { ordered, retryAfterMs, secondsToMs } from './retry-after.ts';
import { asObject } from '../results/json.ts';
import { parseBoundedJson } from './bounded-json.ts';
import type { Answer, SubmitMeaning } from './service.ts';
import { isPageText, LOGIN_FIRST, refusesAtProxy } from './availability.ts';
import { isWebPage, serviceWords, shorten } from './words.ts';
import { saysNameTaken } from '../domain/name-taken.ts';
import { looseNumber } from './tolerant.ts';

/*
 * What a service reports about the remaining budget (contract of the prediction service, section 8: headers; section 7:
 * the body of 429). The other service's contract shows nothing, but it may still be sent.
 */

/** A reset value above this is a point in time (s since the epoch), not a wait: the contract shows neither. */
const EPOCH_SECONDS = 1_000_000_000;

function readRateLimit(headers: Headers, json: unknown): RateLimitSeen | null {
  const body = asObject(json) ?? {};
  const limit = header(headers, 'x-ratelimit-limit') ?? looseNumber.parse(body['limit']);
  const remaining =
    header(headers, 'x-ratelimit-remaining') ?? looseNumber.parse(body['remaining']);
  const reset = header(headers, 'x-ratelimit-reset') ?? looseNumber.parse(body['reset_after']);
  if (limit === null && remaining === null && reset === null) return null;
  return { limit, remaining, resetAfterSeconds: reset === null ? null : asWait(reset, headers) };
}

function header(headers: Headers, name: string): number | null {
  // null if the header is missing or empty: Number('') would be 0.
  return looseNumber.parse(headers.get(name)?.trim() || null);
}

function asWait(reset: number, headers: Headers): number {
  if (reset < EPOCH_SECONDS) return Math.max(0, reset);
  const sent = Date.parse(headers.get('date') ?? '');
  return Math.max(0, reset - (Number.isNaN(sent) ? Date.now() : sent) / 1000);
}

/** Reads the id of the job in a 2xx; null if it has none. */
type ReadAccepted = (answer: Answer) => SubmitMeaning | null;

/**
 * 408 (the request did not arrive completely) and 425 (not willing to process it now) mean by definition that nothing
 * was done and that the same request may be sent again: not the item's fault, so not `refused`.
 */
const NOT_NOW = new Set([408, 425, 503]);
/**
 * A shorter wait, in ms, is ignored: with "Retry-After: 0", or a date in the past, we would call an overloaded service
 * without a pause. Without a requested wait, the delays grow from one second.
 */
const SHORTEST_ORDER_MS = 1_000;
/** Faults of the row itself (contract of the prediction service, section 7), in words and not in a web page. */
const ABOUT_THE_ROW = new Set([400, 409, 413, 415, 422]);
type NotNow = Extract<SubmitOutcome, { type: 'notNow' }>;

export async function readSubmission(
  answer: HttpAnswer,
  readAccepted: ReadAccepted,
): Promise<SubmitOutcome> {
  switch (answer.type) {
    case 'unreached':
      return unreached(answer);
    case 'broken':
      return { type: 'unsure', message: answer.message };
    case 'answered':
      return readAnswer(answer, readAccepted);
  }
}

function unreached(failure: HttpFailure): NotNow {
  const reason = refusesAtProxy(failure) ? 'blocked' : 'unreachable';
  return { ...notNow(reason, failure.message), ...(isSentBack(failure) && { sentBack: true }) };
}

async function readAnswer(
  answer: HttpResponse,
  readAccepted: ReadAccepted,
): Promise<SubmitOutcome> {
  const { status } = answer;
  const body = await answer.body.text(SMALL_JSON_LIMIT);
  const text = body.type === 'broken' ? '' : body.text;
  const json = parseBoundedJson(text);
  if (status >= 200 && status < 300)
    return accepted(answer, { json, text, body: body.type }, readAccepted);
  // From here on the status decides: if the body breaks off, only the message is lost, not the outcome.
  const words = serviceWords(text) ?? `HTTP ${status} without a message`;
  const message = shorten(words);
  if (status === 429) return rateLimited(answer, json, message);
  if (NOT_NOW.has(status)) {
    return notNow('unavailable', `HTTP ${status}: ${message}`, orderOf(answer));
  }
  const namesTheRow = ABOUT_THE_ROW.has(status) || saysNameTaken(message);
  if (status < 500 && namesTheRow && text.trim() !== '' && !isPageText(answer, text)) {
    return { type: 'refused', status, message };
  }
  if (status < 500 || status === LOGIN_FIRST) return blocked(answer, message);
  return { type: 'unsure', message: `${answer.where}: HTTP ${status}: ${message}` };
}

function orderOf(answer: HttpResponse): number | null {
  return retryAfterMs(answer.headers, Date.now());
}

/** The answer concerns the client or its access: any other row would get the same answer. */
function blocked(answer: HttpResponse, message: string): NotNow {
  const { status } = answer;
  const said = redirectWords(answer) ?? message;
  const words = `${answer.where}: HTTP ${status}: ${said}`;
  const scope = status === 401 ? 'credential' : 'address';
  return { ...notNow('blocked', words, orderOf(answer)), scope };
}

interface Read {
  readonly json: unknown;
  readonly text: string;
  readonly body: 'whole' | 'tooLong' | 'broken';
}

function accepted(
  answer: HttpResponse,
  { json, text, body }: Read,
  readAccepted: ReadAccepted,
): SubmitOutcome {
  const { status, headers } = answer;
  const read = readAccepted({ status, headers, text, json, isTooLarge: body === 'tooLong' });
  const remoteId = read?.id ?? null;
  if (remoteId !== null && isUsableId(remoteId)) {
    const rateLimit = readRateLimit(answer.headers, json);
    return { type: 'accepted', remoteId, rateLimit, ...ordered(answer) };
  }
  if (isWebPage(text)) {
    const title = serviceWords(text);
    const page = title === null ? 'a web page' : `the web page "${shorten(title, 200)}"`;
    const words = `${page} instead of an answer of the service`;
    return { ...blocked(answer, words), doubt: true };
  }
  const why = body === 'broken' ? 'its body was truncated' : 'its body has no usable job id';
  return { type: 'unsure', message: `${answer.where}: HTTP ${answer.status}, but ${why}` };
}

/** If a proxy answers everything with a page, it has not passed on this job either: its fate is known. */
export async function settled(
  outcome: SubmitOutcome,
  ping: () => Promise<PingOutcome>,
): Promise<SubmitOutcome> {
  if (outcome.type !== 'notNow' || !outcome.doubt) return outcome;
  const { doubt: _, ...certain } = outcome;
  return (await ping()).type === 'well' ? outcome : certain;
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
