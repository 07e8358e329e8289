/** What an answer to a status request means: by the table of the service, else as for any service. */
import { parseDuration } from '../domain/duration.ts';
import { NO_TIMING, type PollOutcome, type Timing } from '../domain/outcomes.ts';
import { findMeaning, interpret, readAnswer } from './answers.ts';
import { connectionFailed, isAnswered, isWebPageAnswer, unavailable } from './answers.ts';
import type { HttpAnswer, HttpResponse } from './body.ts';
import { retryAfterMs } from './answers.ts';
import type { Answers, Json, Meaning, PollMeaning, Remote } from './service.ts';
import { serviceWords, shorten } from './answers.ts';

/** For any service. All other statuses say nothing about the job. */
export const POLL = {
  202: { type: 'running' },
  404: { type: 'unknown' },
  410: { type: 'deleted' },
} as const satisfies Answers<PollMeaning, unknown>;

export interface PollRules<C> {
  readonly answers: Answers<PollMeaning, Remote<C>>;
  readonly remote: Remote<C>;
  /** Of the body that are read. */
  readonly maxBytes: number;
}

/** What a poll says of a job, and the details of a finished one, which stay in the client. */
export interface PollRead {
  readonly outcome: PollOutcome;
  readonly details?: Json;
}

export async function readPoll<C>(
  answer: HttpAnswer,
  url: URL,
  { answers, remote, maxBytes }: PollRules<C>,
): Promise<PollRead> {
  if (!isAnswered(answer)) return { outcome: connectionFailed(answer) };
  const { status } = answer;
  const meaning = findMeaning<Meaning<PollMeaning, Remote<C>>>({ ...POLL, ...answers }, status);
  if (meaning === undefined) return { outcome: await unavailable(answer) };
  if (isReadless(meaning, answer)) {
    await answer.body.discard();
    return complete(answer, meaning, '');
  }
  const body = await answer.body.text(maxBytes);
  const said = typeof meaning === 'function' ? null : meaning.type;
  if (body.type === 'broken' && said !== 'unknown' && said !== 'deleted')
    return { outcome: { type: 'unavailable', message: body.message, retryAfterMs: null } };
  const seen = readAnswer(answer, url, body);
  // A page of something in between ends no job. A function may read it: there are services that answer with pages.
  const isUnread = seen.isPage && said !== null && said !== 'unknown';
  const read = isUnread ? null : interpret('poll', meaning, seen, remote);
  if (read !== null) return complete(answer, read, seen.text);
  const why = seen.isPage ? 'a web page instead of an answer' : notUnderstood(seen.text);
  const outcome = await unavailable(answer, why);
  if (status >= 300) return { outcome };
  return { outcome: { ...outcome, [seen.isPage ? 'refusesUs' : 'unreadable']: true } };
}

/** The payload is downloaded by a separate activity, straight to disk: a status request does not read it. */
function isReadless<S>(
  meaning: Meaning<PollMeaning, S>,
  answer: HttpResponse,
): meaning is Extract<PollMeaning, { type: 'finished' | 'running' }> {
  if (typeof meaning === 'function' || isWebPageAnswer(answer)) return false;
  return meaning.type === 'finished' || meaning.type === 'running';
}

function notUnderstood(text: string): string {
  const words = serviceWords(text);
  return words === null ? 'not understood' : `not understood: ${shorten(words, 200)}`;
}

/** The service may request a wait with any answer: before the next poll, or before the download. */
function complete(answer: HttpResponse, read: PollMeaning, text: string): PollRead {
  const order = retryAfterMs(answer.headers, Date.now());
  const wait = order === null ? {} : { retryAfterMs: order };
  switch (read.type) {
    case 'running': {
      const { progress = null, message = null } = read;
      const statusMessage = message === null ? null : shorten(message);
      const after = read.after === undefined ? null : parseDuration(read.after);
      const waitMs = after === null && order === null ? null : Math.max(after ?? 0, order ?? 0);
      const timing = wholeTiming(read.timing);
      return {
        outcome: { type: 'running', retryAfterMs: waitMs, progress, statusMessage, timing },
      };
    }
    case 'finished': {
      const { details } = read;
      return { outcome: { type: 'finished', ...wait }, ...(details !== undefined && { details }) };
    }
    case 'failed': {
      const words = read.message ?? serviceWords(text) ?? 'the service gives no reason';
      const timing = wholeTiming(read.timing);
      return { outcome: { type: 'failed', message: shorten(words), timing } };
    }
    case 'deleted':
    case 'unknown': {
      const words = read.message ?? serviceWords(text) ?? `${answer.where}: HTTP ${answer.status}`;
      return { outcome: { type: read.type, message: shorten(words), ...wait } };
    }
  }
}

function wholeTiming(timing: Partial<Timing> | null | undefined): Timing | null {
  return timing === null || timing === undefined ? null : { ...NO_TIMING, ...timing };
}
