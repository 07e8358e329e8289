/** Asks for the state of a job; what an answer means by the table of the service, else as for any service. */
import { parseDuration } from '../domain/units.ts';
import { NO_TIMING, type PollOutcome, type Timing } from '../domain/outcomes.ts';
import {
  resolveAnswers,
  findMeaning,
  interpret,
  isWebPageAnswer,
  readAnswer,
  retryAfterMs,
  readServiceWords,
  shortenText,
  discardAsUnavailable,
  createUnavailable,
} from './answers.ts';
import { ask, type Asking } from './request.ts';
import { SMALL_JSON_LIMIT, type HttpResponse } from './http.ts';
import type { Answers, Meaning, PollMeaning, Remote, ServiceConfig } from './service.ts';

/** For any service. All other statuses say nothing about the job. */
export const POLL = {
  202: { type: 'running' },
  404: { type: 'unknown' },
  410: { type: 'deleted' },
} as const satisfies Answers<PollMeaning, unknown>;

/** A 5xx that ends a job is asked again after this long (ms). */
const ASKED_AGAIN_MS = 60_000;

/** @param failedOnce jobs that a 5xx has ended once: it may be a fault of the server that passes */
export async function pollJob(
  asking: Asking,
  remoteId: string,
  failedOnce: Set<string>,
): Promise<PollOutcome> {
  const { config, service } = asking;
  const reply = await ask(asking, () => service.poll.request(remoteId, config));
  if ('type' in reply) return reply;
  const outcome = await read(reply, { id: remoteId, config }, service.poll);
  const isEnd = outcome.type === 'failed' || outcome.type === 'deleted';
  if (!isEnd || reply.response.status < 500 || failedOnce.delete(remoteId)) return outcome;
  failedOnce.add(remoteId);
  const { message } = outcome;
  return { type: 'unavailable', message, retryAfterMs: ASKED_AGAIN_MS };
}

async function read(
  { response, url }: { readonly response: HttpResponse; readonly url: URL },
  remote: Remote<ServiceConfig>,
  { answers: own, maxBytes = SMALL_JSON_LIMIT }: Asking['service']['poll'],
): Promise<PollOutcome> {
  const { status } = response;
  const answers = { ...POLL, ...resolveAnswers(own, remote.config) };
  const meaning = findMeaning<Meaning<PollMeaning, Remote<ServiceConfig>>>(answers, status);
  if (meaning === undefined) return discardAsUnavailable(response);
  const said = typeof meaning === 'function' ? null : meaning.type;
  // The payload is downloaded by a separate activity, straight to disk: a status request does not read it.
  if ((said === 'finished' || said === 'running') && !isWebPageAnswer(response)) {
    await response.body.discard();
    return complete(response, meaning as PollMeaning, '');
  }
  const body = await response.body.text(maxBytes);
  if (body.type === 'broken' && said !== 'unknown' && said !== 'deleted')
    return createUnavailable(body.message);
  const seen = readAnswer(response, url, body);
  // A page of something in between ends no job. A function may read it: there are services that answer with pages.
  const isUnread = seen.isPage && said !== null && said !== 'unknown';
  const result = isUnread ? null : interpret('poll', meaning, seen, remote);
  if (result !== null) return complete(response, result, seen.text);
  const words = readServiceWords(seen.text);
  const not = words === null ? 'not understood' : `not understood: ${shortenText(words, 200)}`;
  const outcome = await discardAsUnavailable(
    response,
    seen.isPage ? 'a web page instead of an answer' : not,
  );
  return status >= 300 ? outcome : { ...outcome, [seen.isPage ? 'refusesUs' : 'unreadable']: true };
}

/** The service may request a wait with any answer: before the next poll, or before the download. */
function complete(answer: HttpResponse, read: PollMeaning, text: string): PollOutcome {
  const order = retryAfterMs(answer.headers, Date.now());
  const wait = order === null ? {} : { retryAfterMs: order };
  switch (read.type) {
    case 'running': {
      const { progress = null, message = null } = read;
      const statusMessage = message === null ? null : shortenText(message);
      const after = read.after === undefined ? null : parseDuration(read.after);
      const waitMs = after === null && order === null ? null : Math.max(after ?? 0, order ?? 0);
      const timing = completeTiming(read.timing);
      return { type: 'running', retryAfterMs: waitMs, progress, statusMessage, timing };
    }
    case 'finished':
      return { type: 'finished', ...wait };
    case 'failed': {
      const words = read.message ?? readServiceWords(text) ?? 'the service gives no reason';
      const timing = completeTiming(read.timing);
      return { type: 'failed', message: shortenText(words), timing };
    }
    case 'deleted':
    case 'unknown': {
      const words =
        read.message ?? readServiceWords(text) ?? `${answer.where}: HTTP ${answer.status}`;
      return { type: read.type, message: shortenText(words), ...wait };
    }
  }
}

function completeTiming(timing: Partial<Timing> | null | undefined): Timing | null {
  return timing === null || timing === undefined ? null : { ...NO_TIMING, ...timing };
}
