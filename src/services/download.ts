/** One download: the streamed body, or why there is none. */
import { HundredfoldError } from '../domain/errors.ts';
import type { FetchOutcome } from '../domain/outcomes.ts';
import {
  beginsAsJson,
  connectionFailed,
  isAnswered,
  isWebPageAnswer,
  refusesUs,
  unavailable,
} from './availability.ts';
import { tooLarge } from './download-bound.ts';
import { SMALL_JSON_LIMIT } from './http-body.ts';
import type { HttpResponse } from './http-answer.ts';
import type { Http } from './http.ts';
import { serviceWords, shorten } from './words.ts';

/** A large file on a slow line may take this many times the deadline of a small answer. */
const DOWNLOAD_DEADLINES = 10;
/** Temporary 4xx: not finished yet, too early, too often. */
const PASSING = new Set([408, 409, 425, 429]);

interface Download {
  readonly http: Http;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export async function download(order: Download): Promise<FetchOutcome> {
  const answer = await order.http.send({
    method: 'GET',
    url: order.url,
    headers: order.headers ?? {},
    signal: order.signal,
    deadlineMs: order.http.deadlineMs * DOWNLOAD_DEADLINES,
  });
  if (!isAnswered(answer)) return connectionFailed(answer);
  const { status, headers } = answer;
  if (status === 200) {
    const encoding = headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') return unusable(answer, `compressed (${encoding}) unasked`);
    const { bound } = order.http;
    const contentLength = readLength(headers);
    if (contentLength !== null && contentLength > bound.bytes) {
      await answer.body.discard();
      const { message } = tooLarge(answer.where, `announced with ${contentLength} bytes`, bound);
      return { type: 'tooLarge', message };
    }
    const stream = answer.body.stream(bound);
    const body = isWebPageAnswer(answer) ? await jsonBehindLabel(stream) : stream;
    if (body === null) return unusable(answer, 'a web page instead of a file');
    const contentType = headers.get('content-type');
    return { type: 'found', contentType, contentLength, body, hidden: stream.hidden };
  }
  if (status >= 400 && status < 500 && !PASSING.has(status) && !refusesUs(answer)) {
    const body = await answer.body.text(SMALL_JSON_LIMIT);
    const words = body.type === 'broken' ? null : serviceWords(body.text);
    const message = words ?? `${answer.where}: HTTP ${status}`;
    return { type: 'absent', status, message: shorten(message) };
  }
  // 202: still running; 3xx: not followed, because the header with the token is only for this address.
  return unavailable(answer);
}

async function unusable(answer: HttpResponse, why: string): Promise<FetchOutcome> {
  return { ...(await unavailable(answer, why)), unusable: true };
}

/** A body labelled as a page, if it nevertheless begins as JSON; null for a page. */
async function jsonBehindLabel(
  stream: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array> | null> {
  const rest = stream[Symbol.asyncIterator]();
  try {
    const first = await rest.next();
    const begin = first.done === true ? '' : new TextDecoder().decode(first.value);
    if (first.done !== true && beginsAsJson(begin)) return resumed(first.value, rest);
    await rest.return?.();
  } catch (error) {
    // It was cut off before its first byte, so it cannot be classified; it is requested again in both cases.
    if (!(error instanceof HundredfoldError)) throw error;
  }
  return null;
}

async function* resumed(
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

function readLength(headers: Headers): number | null {
  const value = headers.get('content-length');
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}
