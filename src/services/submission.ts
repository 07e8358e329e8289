/**
 * What an answer to a POST means for the job (docs/promises.md, "Submit is at most once"). The same rule applies to
 * every service; only the place of the id differs.
 */
import { parseDuration } from '../domain/units.ts';
import type { PingOutcome, RateLimitSeen, SubmitOutcome } from '../domain/outcomes.ts';
import { isUsableId } from '../domain/name.ts';
import { toObject } from '../kinds/json.ts';
import {
  findMeaning,
  interpret,
  isWebPage,
  looseNumber,
  readAnswer,
  describeRedirect,
  isRefusedAtProxy,
  retryAfterMs,
  convertToMs,
  readServiceWords,
  shortenText,
} from './answers.ts';
import { type BodyText, type HttpAnswer, type HttpResponse, SMALL_JSON_LIMIT } from './http.ts';
import type { Answer, Answers, Duration, Job, ServiceConfig, SubmitMeaning } from './service.ts';

/**
 * What a service reports about the remaining budget (contract of the prediction service, section 8: headers; section 7:
 * the body of 429). The other service's contract shows nothing, but it may still be sent.
 */
function readRateLimit({ headers, json }: Answer): RateLimitSeen | null {
  const body = toObject(json) ?? {};
  const [limit = null, remaining = null] = ['limit', 'remaining'].map((name) =>
    looseNumber.parse(headers.get(`x-ratelimit-${name}`) ?? body[name]),
  );
  return limit === null && remaining === null ? null : { limit, remaining };
}

/** What an answer means for a submission if the definition says nothing of it. */
type Usual =
  /** The job may or may not exist. */
  | 'unsure'
  /** If it has words and is no web page; else as `address`. */
  | 'refused'
  /** `refused`, and if names find jobs: one of this name exists. */
  | 'taken'
  /** Any other row would get the same answer. */
  | 'credential'
  | 'address'
  | 'unavailable'
  | 'rateLimited';

/**
 * 408 (the request did not arrive completely) and 425 (not willing to process it now) mean by definition that nothing
 * was done and that the same request may be sent again: not the item's fault, so not `refused`.
 */
export const SUBMISSION: Readonly<Record<number | `${number}xx`, Usual>> = {
  '2xx': 'unsure',
  '3xx': 'address',
  400: 'refused',
  401: 'credential',
  408: 'unavailable',
  409: 'taken',
  413: 'refused',
  415: 'refused',
  422: 'refused',
  425: 'unavailable',
  429: 'rateLimited',
  '4xx': 'address',
  503: 'unavailable',
  511: 'address',
  '5xx': 'unsure',
};

/**
 * A shorter wait, in ms, is ignored: with "Retry-After: 0", or a date in the past, we would call an overloaded service
 * without a pause. Without a requested wait, the delays grow from one second.
 */
const MIN_ORDER_MS = 1_000;
type NotNow = Extract<SubmitOutcome, { type: 'notNow' }>;

interface Submitted {
  readonly job: Job;
  readonly config: ServiceConfig;
}

/** What a definition says of an answer to a POST. */
interface SubmissionRules {
  readonly answers: Answers<SubmitMeaning, Submitted>;
  readonly subject: Submitted;
  /** Whether an id has the form of this service's. */
  readonly isId: (id: string) => boolean;
  /** A name is accepted only once. */
  readonly hasNames: boolean;
}

export async function readSubmission(
  response: HttpAnswer,
  url: URL,
  rules: SubmissionRules,
): Promise<SubmitOutcome> {
  if (response.type !== 'answered') {
    const { type, message } = response;
    if (type === 'broken') return { type: 'unsure', message };
    return createNotNow(isRefusedAtProxy(response) ? 'blocked' : 'unreachable', message);
  }
  const body = await response.body.text(SMALL_JSON_LIMIT);
  const answer = readAnswer(response, url, body);
  const meaning = findMeaning(rules.answers, response.status);
  const said = meaning === undefined ? null : interpret('submit', meaning, answer, rules.subject);
  // From here on the status decides: if the body breaks off, only the message is lost, not the outcome.
  const words = readServiceWords(answer.text) ?? `HTTP ${response.status} without a message`;
  const seen = { response, answer, message: shortenText(words), body: body.type };
  const usual = readUsual(seen);
  return (
    (said && complete(said, seen, rules)) ??
    (usual && complete(usual, seen, rules)) ??
    createNotUnderstood(seen)
  );
}

interface Seen {
  readonly response: HttpResponse;
  readonly answer: Answer;
  /** The words of the service. */
  readonly message: string;
  readonly body: BodyText['type'];
}

/** Null if the claim is not believed: an id that is none, or "no job" in a 5xx or in half an answer. */
function complete(said: SubmitMeaning, seen: Seen, rules: SubmissionRules): SubmitOutcome | null {
  const { response, answer, message, body } = seen;
  const { status } = response;
  if (body === 'broken' && status < 300 && said.type !== 'accepted') return null;
  switch (said.type) {
    case 'accepted': {
      if (!isUsableId(said.id) || !rules.isId(said.id)) return null;
      const rateLimit = readRateLimit(answer);
      const wait = Math.max(readOrder(response) ?? -1, toMs(said.pollAfter) ?? -1);
      const order = wait < 0 ? {} : { retryAfterMs: wait };
      return { type: 'accepted', remoteId: said.id, rateLimit, ...order };
    }
    case 'refused':
      return { type: 'refused', status, message: shortenText(said.message ?? message) };
    case 'nameTaken': {
      const words = shortenText(said.message ?? message);
      return { type: 'refused', status, message: words, ...(rules.hasNames && { taken: true }) };
    }
    case 'notNow': {
      if (status >= 500 && SUBMISSION[status] === undefined) return null;
      const { why } = said;
      const order = toMs(said.after) ?? readOrder(response);
      const words = shortenText(said.message);
      if (why === 'unavailable') return createNotNow(why, words, order);
      if (why !== 'rateLimited') return createNotNow('blocked', words, order);
      const resetAfter = looseNumber.parse(toObject(answer.json)?.['reset_after']);
      const retry = order ?? (resetAfter === null ? null : convertToMs(resetAfter));
      return { ...createNotNow('rate-limited', words, retry), rateLimit: readRateLimit(answer) };
    }
  }
}

/** As for any service; null: the job may exist. */
function readUsual({ response, answer, message }: Seen): SubmitMeaning | null {
  const { status, where } = response;
  const means = findMeaning(SUBMISSION, status) ?? 'unsure';
  // The answer concerns the client or its access: any other row would get the same answer.
  const words = `${where}: HTTP ${status}: ${describeRedirect(response) ?? message}`;
  switch (means) {
    case 'unsure':
      return null;
    case 'refused':
    case 'taken':
      // In words: a web page, or nothing, comes from something in between.
      if (answer.text.trim() === '' || answer.isPage)
        return { type: 'notNow', why: 'address', message: words };
      return { type: means === 'taken' ? 'nameTaken' : 'refused' };
    case 'credential':
    case 'address':
      return { type: 'notNow', why: means, message: words };
    case 'unavailable':
      return { type: 'notNow', why: means, message: `HTTP ${status}: ${message}` };
    case 'rateLimited':
      return { type: 'notNow', why: means, message };
  }
}

function createNotUnderstood({ response, answer, message, body }: Seen): SubmitOutcome {
  const where = `${response.where}: HTTP ${response.status}`;
  if (response.status >= 300) return { type: 'unsure', message: `${where}: ${message}` };
  if (isWebPage(answer.text)) {
    const title = readServiceWords(answer.text);
    const page = title === null ? 'a web page' : `the web page "${shortenText(title, 200)}"`;
    const words = `${where}: ${page} instead of an answer of the service`;
    return { ...createNotNow('blocked', words, readOrder(response)), isUncertain: true };
  }
  const why = body === 'broken' ? 'its body was truncated' : 'its body has no usable job id';
  return { type: 'unsure', message: `${where}, but ${why}` };
}

function readOrder(answer: HttpResponse): number | null {
  return retryAfterMs(answer.headers, Date.now());
}

/** If a proxy answers everything with a page, it has not passed on this job either: its outcome is known. */
export async function confirmWithPing(
  outcome: SubmitOutcome,
  ping: () => Promise<PingOutcome>,
): Promise<SubmitOutcome> {
  if (outcome.type !== 'notNow' || !outcome.isUncertain) return outcome;
  const { isUncertain: _, ...certain } = outcome;
  return (await ping()).type === 'well' ? outcome : certain;
}

export function createNotNow(
  reason: NotNow['reason'],
  message: string,
  order: number | null = null,
): NotNow {
  const retryAfterMs = order !== null && order < MIN_ORDER_MS ? null : order;
  return { type: 'notNow', reason, retryAfterMs, message, rateLimit: null };
}

function toMs(duration: Duration | undefined): number | null {
  return duration === undefined ? null : parseDuration(duration);
}
