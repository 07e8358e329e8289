/** Polls a job (contract 4.4): the status code gives the outcome; in the earlier variant, the body does. */
import type { PollOutcome, Unavailable, Timing } from '../../domain/outcomes.ts';
import {
  beginsAsJson,
  connectionFailed,
  isAnswered,
  isWebPageAnswer,
  unavailable,
} from '../availability.ts';
import { parseBoundedJson } from '../bounded-json.ts';
import type { RequestOptions } from '../client.ts';
import { SMALL_JSON_LIMIT } from '../http-body.ts';
import type { HttpResponse } from '../http-answer.ts';
import { ordered, retryAfterMs } from '../retry-after.ts';
import { serviceWords, shorten } from '../words.ts';
import type { PredictionsAccess } from './access.ts';
import { readEarlierBody } from './earlier.ts';
import { readEnvelope, timingSchema } from './schemas.ts';
import { asObject } from '../../results/json.ts';

/** `{"status":"RUNNING"}` and `{"error":…}` are far shorter; anything longer is a result. */
const EARLIER_BODY_LIMIT = 64 * 1024;

export async function poll(
  access: PredictionsAccess,
  remoteId: string,
  { signal }: RequestOptions,
): Promise<PollOutcome> {
  const answer = await access.http.send({
    method: 'GET',
    url: access.api('results', remoteId, ''),
    signal,
  });
  if (!isAnswered(answer)) return connectionFailed(answer);
  switch (answer.status) {
    case 200:
      return finishedOrNot(access, answer);
    case 202:
      return running(answer, await readJson(answer));
    case 422:
      return failed(answer);
    case 404:
    case 410:
      return lost(answer);
    default:
      return access.variant === 'earlier' ? earlierRefusal(answer) : unavailable(answer);
  }
}

async function finishedOrNot(
  access: PredictionsAccess,
  answer: HttpResponse,
): Promise<PollOutcome> {
  if (access.variant === 'current' && !isWebPageAnswer(answer)) {
    // The payload is downloaded by a separate activity, straight to disk.
    await answer.body.discard();
    return finished(answer);
  }
  const body = await answer.body.text(EARLIER_BODY_LIMIT);
  if (body.type === 'broken') return brokenOff(body.message);
  if (isWebPageAnswer(answer) && !beginsAsJson(body.text)) {
    return { ...brokenOff(`${answer.where}: a web page instead of a result`), refusesUs: true };
  }
  if (access.variant === 'current' || body.type === 'tooLong') return finished(answer);
  const json = parseBoundedJson(body.text);
  const read = readEarlierBody(json);
  if (read.type === 'running') return running(answer, json);
  if (read.type === 'finished') return finished(answer);
  return { type: 'failed', message: shorten(read.message), timing: null };
}

/** "A failure returns an object with only `error`" (section 9.6): the status is not shown. */
async function earlierRefusal(answer: HttpResponse): Promise<PollOutcome> {
  const passing = answer.status < 400 || answer.status >= 500 || answer.status === 429;
  if (passing) return unavailable(answer);
  const body = await answer.body.text(EARLIER_BODY_LIMIT);
  const read = body.type === 'whole' ? readEarlierBody(parseBoundedJson(body.text)) : null;
  if (read?.type !== 'failed') return unavailable(answer);
  return { type: 'failed', message: shorten(read.message), timing: null };
}

function running(answer: HttpResponse, json: unknown): PollOutcome {
  const envelope = readEnvelope(json);
  const message = envelope.status_message;
  return {
    type: 'running',
    retryAfterMs: retryAfterMs(answer.headers, Date.now()),
    progress: envelope.progress,
    statusMessage: message === null ? null : shorten(message),
    timing: readTiming(envelope.timing),
  };
}

async function failed(answer: HttpResponse): Promise<PollOutcome> {
  const body = await answer.body.text(SMALL_JSON_LIMIT);
  if (body.type === 'broken') return brokenOff(body.message);
  const envelope = readEnvelope(parseBoundedJson(body.text));
  const words = envelope.error ?? serviceWords(body.text) ?? 'the service gives no reason';
  const message = shorten(words);
  return { type: 'failed', message, timing: readTiming(envelope.timing) };
}

/** The service may request a wait before the download (Retry-After of any answer). */
function finished(answer: HttpResponse): PollOutcome {
  return { type: 'finished', ...ordered(answer) };
}

async function lost(answer: HttpResponse): Promise<PollOutcome> {
  const body = await answer.body.text(SMALL_JSON_LIMIT);
  const words = body.type === 'broken' ? null : serviceWords(body.text);
  const message = words ?? `${answer.where}: HTTP ${answer.status}`;
  return { type: 'lost', message: shorten(message), ...ordered(answer) };
}

async function readJson(answer: HttpResponse): Promise<unknown> {
  const body = await answer.body.text(SMALL_JSON_LIMIT);
  return body.type === 'whole' ? parseBoundedJson(body.text) : undefined;
}

function brokenOff(message: string): Unavailable {
  return { type: 'unavailable', message, retryAfterMs: null };
}

/** The timing block (contract 2.4): how long a job waited, runs and may run, and the age of its heartbeat. */
export function readTiming(json: unknown): Timing | null {
  if (asObject(json) === null) return null;
  const block = timingSchema.parse(json);
  return {
    queuedAt: block.queued_at,
    startedAt: block.started_at,
    finishedAt: block.finished_at,
    queueWaitSeconds: block.queue_wait_seconds ?? clockSeconds(block.queue_wait),
    elapsedSeconds: block.elapsed_seconds ?? clockSeconds(block.elapsed_time),
    leftSeconds: block.left_seconds ?? clockSeconds(block.left_time),
    timeLimitSeconds: block.time_limit_seconds ?? clockSeconds(block.time_limit),
    heartbeatAgeSeconds: block.heartbeat_age_seconds,
  };
}

/** `HH:MM:SS` in seconds; hours may have more than two digits. */
function clockSeconds(clock: string | null): number | null {
  const parts = /^(\d+):([0-5]?\d):([0-5]?\d)$/.exec(clock ?? '');
  return parts === null ? null : Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3]);
}
