/** One download: the streamed body, or why there is none. */
import type { FetchOutcome } from '../domain/outcomes.ts';
import { connectionFailed, isAnswered, isWebPageAnswer, unavailable } from './availability.ts';
import { SMALL_JSON_LIMIT } from './http-body.ts';
import type { Http } from './http.ts';
import { serviceWords, shorten, type Redact } from './words.ts';

/** A large file on a slow line may take this many times the deadline of a small answer. */
const DOWNLOAD_DEADLINES = 10;
/** 4xx that will pass: not finished yet, too early, too often. */
const PASSING = new Set([408, 409, 425, 429]);

export interface Download {
  readonly http: Http;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly redact: Redact;
  /** Changes the bytes on their way, keeping their number. */
  readonly through?: (body: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
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
    if (isWebPageAnswer(answer)) return unavailable(answer, 'a web page instead of a file');
    const encoding = headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') return unavailable(answer, `compressed (${encoding}) unasked`);
    const stream = answer.body.stream();
    return {
      type: 'found',
      contentType: headers.get('content-type'),
      contentLength: readLength(headers),
      body: order.through ? order.through(stream) : stream,
    };
  }
  if (status >= 400 && status < 500 && !PASSING.has(status)) {
    const body = await answer.body.text(SMALL_JSON_LIMIT);
    const words = body.type === 'broken' ? null : serviceWords(body.text);
    const message = words ?? `${answer.where}: HTTP ${status}`;
    return { type: 'absent', status, message: shorten(order.redact(message)) };
  }
  // 202: still running; 3xx: not followed, the header with the token is for this address alone.
  return unavailable(answer);
}

function readLength(headers: Headers): number | null {
  const value = headers.get('content-length');
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}
