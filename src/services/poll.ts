/** What an answer to a status request means: by the table of the service, else as for any service. */
import type { PollOutcome } from '../domain/outcomes.ts';
import {
  connectionFailed,
  isAnswered,
  isPageText,
  isWebPageAnswer,
  unavailable,
} from './availability.ts';
import { complexity } from './bounded-json.ts';
import type { HttpAnswer, HttpResponse } from './http-answer.ts';
import { parseJson } from '../results/json.ts';
import { ordered, retryAfterMs } from './retry-after.ts';
import type { Answer, Answers, Meaning, PollMeaning } from './service.ts';
import { serviceWords, shorten } from './words.ts';

/** For any service. All other statuses say nothing about the job. */
const DEFAULTS: Answers<PollMeaning> = {
  202: { type: 'running' },
  404: { type: 'lost' },
  410: { type: 'lost' },
};

/**
 * @param answers of the service; a 429 is never a job's own
 * @param maxBytes of the body that are read
 */
export async function readPoll(
  answer: HttpAnswer,
  answers: Answers<PollMeaning>,
  maxBytes: number,
): Promise<PollOutcome> {
  if (!isAnswered(answer)) return connectionFailed(answer);
  const meaning = findMeaning(answers, answer.status);
  if (meaning === undefined) return unavailable(answer);
  if (isReadless(meaning, answer)) {
    await answer.body.discard();
    return complete(answer, meaning, '');
  }
  const body = await answer.body.text(maxBytes);
  const isLost = typeof meaning !== 'function' && meaning.type === 'lost';
  if (body.type === 'broken' && !isLost)
    return { type: 'unavailable', message: body.message, retryAfterMs: null };
  const text = body.type === 'broken' ? '' : body.text;
  if (answer.status === 200 && isPageText(answer, text))
    return { ...(await unavailable(answer, 'a web page instead of an answer')), refusesUs: true };
  const read =
    typeof meaning === 'function' ? meaning(readAnswer(answer, text, body.type)) : meaning;
  if (read === null) return unavailable(answer, notUnderstood(text));
  return complete(answer, read, text);
}

function findMeaning(
  answers: Answers<PollMeaning>,
  status: number,
): Meaning<PollMeaning> | undefined {
  const exact = answers[status] ?? DEFAULTS[status];
  if (exact !== undefined || status === 429) return exact;
  return status >= 400 && status < 500 ? answers['4xx'] : undefined;
}

/** The payload is downloaded by a separate activity, straight to disk: a status request does not read it. */
function isReadless(
  meaning: Meaning<PollMeaning>,
  answer: HttpResponse,
): meaning is Extract<PollMeaning, { type: 'finished' | 'running' }> {
  if (typeof meaning === 'function' || isWebPageAnswer(answer)) return false;
  return meaning.type === 'finished' || meaning.type === 'running';
}

function readAnswer(
  { status, headers }: HttpResponse,
  text: string,
  body: 'whole' | 'tooLong' | 'broken',
): Answer {
  const isTooLarge = body === 'tooLong' || complexity(text) !== null;
  return { status, headers, text, isTooLarge, json: isTooLarge ? undefined : parseJson(text) };
}

function notUnderstood(text: string): string {
  const words = serviceWords(text);
  return words === null ? 'not understood' : `not understood: ${shorten(words, 200)}`;
}

/** The service may request a wait with any answer: before the next poll, or before the download. */
function complete(answer: HttpResponse, read: PollMeaning, text: string): PollOutcome {
  switch (read.type) {
    case 'running': {
      const { progress = null, message = null, timing = null } = read;
      const statusMessage = message === null ? null : shorten(message);
      const waitMs = retryAfterMs(answer.headers, Date.now());
      return { type: 'running', retryAfterMs: waitMs, progress, statusMessage, timing };
    }
    case 'finished':
      return { type: 'finished', ...ordered(answer) };
    case 'failed': {
      const words = read.message ?? serviceWords(text) ?? 'the service gives no reason';
      return { type: 'failed', message: shorten(words), timing: read.timing ?? null };
    }
    case 'lost': {
      const words = serviceWords(text) ?? `${answer.where}: HTTP ${answer.status}`;
      return { type: 'lost', message: shorten(words), ...ordered(answer) };
    }
  }
}
