/** One download: the streamed body, or why there is none. */
import { HundredfoldError } from '../domain/errors.ts';
import type { FetchOutcome } from '../domain/outcomes.ts';
import { findMeaning, interpret, readAnswer } from './answers.ts';
import {
  beginsAsJson,
  connectionFailed,
  isAnswered,
  isWebPageAnswer,
  refusesUs,
  unavailable,
} from './answers.ts';
import { tooLarge } from './body.ts';
import { SMALL_JSON_LIMIT, type BodyText } from './body.ts';
import type { HttpResponse } from './body.ts';
import type { Http } from './http.ts';
import type { Addressed } from './request.ts';
import type { Answer, Answers, FileMeaning, Remote, Request } from './service.ts';
import { serviceWords, shorten } from './answers.ts';

/** A large file on a slow line may take this many times the deadline of a small answer. */
const DOWNLOAD_DEADLINES = 10;
/** For any service, of answers that do not refuse us. 202: still running; 409 and 425: too early. */
export const FILE: Readonly<Partial<Record<number | `${number}xx`, 'file' | 'notYet' | 'absent'>>> =
  { 200: 'file', 202: 'notYet', 408: 'notYet', 409: 'notYet', 425: 'notYet', '4xx': 'absent' };
/** Bytes of a 200 that a function of a definition is shown; a longer one is the file. */
const SHOWN_BYTES = 64 * 1024;

interface Download<C> extends Addressed {
  readonly http: Http;
  readonly signal: AbortSignal;
  readonly answers: Answers<FileMeaning, Remote<C>>;
  readonly remote: Remote<C>;
}

/** Or where else it may be, if this is not it. */
export type Downloaded =
  | Exclude<FetchOutcome, { readonly type: 'found' }>
  | (Extract<FetchOutcome, { readonly type: 'found' }> & {
      /** For the definition, once its body was read. */
      readonly asAnswer: (bytes: Uint8Array) => Answer;
    })
  /** `otherwise`: what counts if it is not there either; null if the answer did not deny it. */
  | { readonly type: 'at'; readonly request: Request; readonly otherwise: FetchOutcome | null };

export async function download<C>(order: Download<C>): Promise<Downloaded> {
  const { http, url, headers, signal, answers, remote } = order;
  const deadlineMs = http.deadlineMs * DOWNLOAD_DEADLINES;
  const answer = await http.send({ method: 'GET', url, headers, signal, deadlineMs });
  if (!isAnswered(answer)) return connectionFailed(answer);
  const meaning = findMeaning(answers, answer.status);
  if (answer.status === 200) return found(answer, http, order, meaning);
  if (meaning === undefined) return usual(answer);
  const body = await answer.body.text(SMALL_JSON_LIMIT);
  const seen = readAnswer(answer, url, body);
  const said = interpret('fetch', meaning, seen, remote);
  return said === null ? usual(answer, body) : claimed(said, answer, seen);
}

async function claimed(
  said: FileMeaning,
  response: HttpResponse,
  answer: Answer,
): Promise<Downloaded> {
  const { status } = response;
  const absent = { type: 'absent', status, message: wordsOf(response, answer.text) } as const;
  switch (said.type) {
    case 'absent':
      return { ...absent, message: shorten(said.message ?? absent.message) };
    case 'notYet':
      return unavailable(response, 'not yet');
    case 'at':
      return { type: 'at', request: said.request, otherwise: status < 400 ? null : absent };
  }
}

/** As for any service. 3xx: not followed, because the header with the token is only for this address. */
async function usual(answer: HttpResponse, read?: BodyText): Promise<Downloaded> {
  const { status } = answer;
  if (findMeaning(FILE, status) !== 'absent' || refusesUs(answer)) return unavailable(answer);
  const body = read ?? (await answer.body.text(SMALL_JSON_LIMIT));
  const text = body.type === 'broken' ? '' : body.text;
  return { type: 'absent', status, message: wordsOf(answer, text) };
}

function wordsOf({ where, status }: HttpResponse, text: string): string {
  return shorten(serviceWords(text) ?? `${where}: HTTP ${status}`);
}

async function found<C>(
  answer: HttpResponse,
  { bound }: Http,
  { url, remote }: Download<C>,
  meaning: ReturnType<typeof findMeaning<Answers<FileMeaning, Remote<C>>[200]>>,
): Promise<Downloaded> {
  const { headers } = answer;
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') return unusable(answer, `compressed (${encoding}) unasked`);
  const contentLength = readLength(headers);
  if (contentLength !== null && contentLength > bound.bytes) {
    await answer.body.discard();
    const { message } = tooLarge(answer.where, `announced with ${contentLength} bytes`, bound);
    return { type: 'tooLarge', message };
  }
  const stream = answer.body.stream(bound);
  const begun = meaning === undefined && !isWebPageAnswer(answer) ? null : await begin(stream);
  if (begun === 'broken') return unusable(answer, 'cut off before its first byte');
  if (begun !== null && meaning !== undefined && begun.isWhole) {
    const text = new TextDecoder().decode(begun.bytes);
    const seen = readAnswer(answer, url, { type: 'whole', text });
    const said = interpret('fetch', meaning, seen, remote);
    if (said !== null) return claimed(said, answer, seen);
  }
  // A body labelled as a page, if it nevertheless begins as JSON.
  const isPage =
    begun !== null &&
    isWebPageAnswer(answer) &&
    !beginsAsJson(new TextDecoder().decode(begun.bytes.subarray(0, 1_024)));
  if (isPage) {
    await begun.rest.return?.();
    return unusable(answer, 'a web page instead of a file');
  }
  const body = begun === null ? stream : resumed(begun);
  const contentType = headers.get('content-type');
  const asAnswer = (bytes: Uint8Array) =>
    readAnswer(answer, url, { type: 'whole', text: new TextDecoder().decode(bytes) });
  return { type: 'found', contentType, contentLength, body, hidden: stream.hidden, asAnswer };
}

async function unusable(answer: HttpResponse, why: string): Promise<Downloaded> {
  return { ...(await unavailable(answer, why)), unusable: true };
}

interface Begun {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  readonly rest: AsyncIterator<Uint8Array>;
}

/** The beginning of a body; `broken` if it was cut off before its first byte, so that it cannot be classified. */
async function begin(stream: AsyncIterable<Uint8Array>): Promise<Begun | 'broken'> {
  const rest = stream[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  try {
    for (let length = 0; length <= SHOWN_BYTES;) {
      const next = await rest.next();
      if (next.done === true) return { bytes: Buffer.concat(chunks), isWhole: true, rest };
      chunks.push(next.value);
      length += next.value.byteLength;
    }
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw error;
    if (chunks.length === 0) return 'broken';
    return { bytes: Buffer.concat(chunks), isWhole: false, rest: failing(error) };
  }
  return { bytes: Buffer.concat(chunks), isWhole: false, rest };
}

/** What a body that was cut off later ends with. */
function failing(error: Error): AsyncIterator<Uint8Array> {
  return { next: () => Promise.reject(error) };
}

async function* resumed({ bytes, rest }: Begun): AsyncGenerator<Uint8Array> {
  yield bytes;
  yield* { [Symbol.asyncIterator]: () => rest };
}

function readLength(headers: Headers): number | null {
  const value = headers.get('content-length');
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}
