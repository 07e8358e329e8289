/**
 * What a service is asked about one job: its state, and its files. An answer means what the table of the service says,
 * else what it means for any service.
 */
import { HundredfoldError } from '../domain/errors.ts';
import { MAX_DOWNLOAD } from '../domain/limits.ts';
import { type FetchOutcome, NO_TIMING, type PollOutcome, type Timing } from '../domain/outcomes.ts';
import {
  resolveAnswers,
  startsAsJson,
  findMeaning,
  interpret,
  isWebPageAnswer,
  readAnswer,
  isRefusal,
  readServiceWords,
  shortenText,
  discardAsUnavailable,
  createUnavailable,
  retryAfterMs,
} from './answers.ts';
import { ask, type Asking, RequestFault } from './request.ts';
import { SMALL_JSON_LIMIT, createTooLarge, type BodyText, type HttpResponse } from './http.ts';
import type {
  Answer,
  FileMeaning,
  FileRequest,
  Request,
  ServiceConfig,
  Answers,
  Meaning,
  PollMeaning,
  Remote,
} from './service.ts';
import { parseDuration } from '../domain/units.ts';

/* Its state */

/** For any service. All other statuses say nothing about the job. */
const POLL = {
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
  const outcome = await readState(reply, { id: remoteId, config }, service.poll);
  const isEnd = outcome.type === 'failed' || outcome.type === 'deleted';
  if (!isEnd || reply.response.status < 500 || failedOnce.delete(remoteId)) return outcome;
  failedOnce.add(remoteId);
  const { message } = outcome;
  return { type: 'unavailable', message, retryAfterMs: ASKED_AGAIN_MS };
}

async function readState(
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
    return completeState(response, meaning as PollMeaning, '');
  }
  const body = await response.body.text(maxBytes);
  if (body.type === 'broken' && said !== 'unknown' && said !== 'deleted')
    return createUnavailable(body.message);
  const seen = readAnswer(response, url, body);
  // A page of something in between ends no job. A function may read it: there are services that answer with pages.
  const isUnread = seen.isPage && said !== null && said !== 'unknown';
  const result = isUnread ? null : interpret('poll', meaning, seen, remote);
  if (result !== null) return completeState(response, result, seen.text);
  const words = readServiceWords(seen.text);
  const not = words === null ? 'not understood' : `not understood: ${shortenText(words, 200)}`;
  const outcome = await discardAsUnavailable(
    response,
    seen.isPage ? 'a web page instead of an answer' : not,
  );
  return status >= 300 ? outcome : { ...outcome, [seen.isPage ? 'refusesUs' : 'unreadable']: true };
}

/** The service may request a wait with any answer: before the next poll, or before the download. */
function completeState(answer: HttpResponse, read: PollMeaning, text: string): PollOutcome {
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

/* Its files */

/** A large file on a slow line may take this many times the deadline of a small answer. */
const DOWNLOAD_DEADLINES = 10;
/** For any service, of answers that do not refuse us. 202: still running; 409 and 425: too early. */
export const FILE: Readonly<Partial<Record<number | `${number}xx`, 'file' | 'notYet' | 'absent'>>> =
  { 200: 'file', 202: 'notYet', 408: 'notYet', 409: 'notYet', 425: 'notYet', '4xx': 'absent' };
/** Bytes of a 200 that a function of a definition is shown; a longer one is the file. */
const SHOWN_BYTES = 64 * 1024;

/** Of one artefact: pages that never end are no file. */
const MAX_PAGES = 1_000;

type File = FileRequest<ServiceConfig>;
type Found = Extract<FetchOutcome, { readonly type: 'found' }>;
type Downloaded =
  | Exclude<FetchOutcome, Found>
  /** `asAnswer`: for the definition, once its body was read. */
  | (Found & { readonly asAnswer: (bytes: Uint8Array) => Answer })
  /** `otherwise`: what counts if it is not there either; null if the answer did not deny it. */
  | { readonly type: 'at'; readonly request: Request; readonly otherwise: FetchOutcome | null };

/** @param id of the job */
export async function fetchFile(asking: Asking, id: string, file: File): Promise<FetchOutcome> {
  const first = await download(asking, id, file, () => file.request(id, asking.config));
  if (first.type !== 'at') return withNext(asking, id, file, first, 1);
  const second = await download(asking, id, {}, () => first.request);
  if (second.type === 'at') return createUnavailable('a file is said to be at a third address');
  // A page or a failure at a path that may not exist does not replace the answer of the first path.
  return second.type === 'found' ? second : (first.otherwise ?? second);
}

/** A page of an artefact knows the next one. */
function withNext(
  asking: Asking,
  id: string,
  file: File,
  page: Exclude<Downloaded, { readonly type: 'at' }>,
  number: number,
): FetchOutcome {
  if (page.type !== 'found') return page;
  const { asAnswer, ...found } = page;
  const { next } = file;
  if (next === undefined) return found;
  const readNext = async (request: Request): Promise<FetchOutcome> => {
    if (number >= MAX_PAGES) return createUnavailable('its pages do not end');
    const one = await download(asking, id, file, () => request);
    if (one.type === 'at') return createUnavailable('a page is said to be at another address');
    return withNext(asking, id, file, one, number + 1);
  };
  const nextPage = (bytes: Uint8Array): Promise<FetchOutcome> | null => {
    const request = next(asAnswer(bytes), { id, config: asking.config });
    return request && readNext(request);
  };
  return { ...found, nextPage };
}

type Says = (seen: Answer) => FileMeaning | null;

async function download(
  asking: Asking,
  id: string,
  { answers = {} }: Pick<File, 'answers'>,
  describe: () => Request,
): Promise<Downloaded> {
  const { http, config } = asking;
  try {
    const reply = await ask(asking, describe, http.deadlineMs * DOWNLOAD_DEADLINES);
    if ('type' in reply) return reply;
    const { response, url } = reply;
    const meaning = findMeaning(resolveAnswers(answers, config), response.status);
    const says: Says | null =
      meaning === undefined ? null : (seen) => interpret('fetch', meaning, seen, { id, config });
    if (response.status === 200) return await readFound(response, url, says);
    if (says === null) return await readUsual(response);
    const body = await response.body.text(SMALL_JSON_LIMIT);
    const seen = readAnswer(response, url, body);
    const said = says(seen);
    return said === null
      ? await readUsual(response, body)
      : await readClaimed(said, response, seen);
  } catch (error) {
    if (!(error instanceof RequestFault)) throw error;
    return { type: 'absent', status: 0, message: error.message };
  }
}

async function readClaimed(
  said: FileMeaning,
  response: HttpResponse,
  answer: Answer,
): Promise<Downloaded> {
  const { status } = response;
  const absent = {
    type: 'absent',
    status,
    message: describeAnswer(response, answer.text),
  } as const;
  switch (said.type) {
    case 'absent':
      return { ...absent, message: shortenText(said.message ?? absent.message) };
    case 'notYet':
      return discardAsUnavailable(response, 'not yet');
    case 'at':
      return { type: 'at', request: said.request, otherwise: status < 400 ? null : absent };
  }
}

/** As for any service. 3xx: not followed, because the header with the token is only for this address. */
async function readUsual(answer: HttpResponse, read?: BodyText): Promise<Downloaded> {
  const { status } = answer;
  if (findMeaning(FILE, status) !== 'absent' || isRefusal(answer))
    return discardAsUnavailable(answer);
  const body = read ?? (await answer.body.text(SMALL_JSON_LIMIT));
  const text = body.type === 'broken' ? '' : body.text;
  return { type: 'absent', status, message: describeAnswer(answer, text) };
}

function describeAnswer({ where, status }: HttpResponse, text: string): string {
  return shortenText(readServiceWords(text) ?? `${where}: HTTP ${status}`);
}

async function readFound(answer: HttpResponse, url: URL, says: Says | null): Promise<Downloaded> {
  const { headers } = answer;
  const encoding = headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity') return createUnusable(answer, `compressed (${encoding}) unasked`);
  const contentLength = readLength(headers);
  if (contentLength !== null && contentLength > MAX_DOWNLOAD) {
    await answer.body.discard();
    const seen = `announced with ${contentLength} bytes`;
    const { message } = createTooLarge(answer.where, seen, MAX_DOWNLOAD);
    return { type: 'tooLarge', message };
  }
  const stream = answer.body.stream(MAX_DOWNLOAD);
  const begun = says === null && !isWebPageAnswer(answer) ? null : await begin(stream);
  if (begun === 'broken') return createUnusable(answer, 'cut off at its beginning');
  const asAnswer = (bytes: Uint8Array) =>
    readAnswer(answer, url, { type: 'whole', text: new TextDecoder().decode(bytes) });
  if (begun?.isWhole) {
    const seen = asAnswer(begun.bytes);
    const said = says?.(seen) ?? null;
    if (said !== null) return readClaimed(said, answer, seen);
  }
  // A body labelled as a page, if it nevertheless begins as JSON.
  if (begun && isWebPageAnswer(answer) && !startsAsJson(new TextDecoder().decode(begun.bytes))) {
    await begun.rest.return?.();
    return createUnusable(answer, 'a web page instead of a file');
  }
  const body = begun === null ? stream : resumeBody(begun);
  const contentType = headers.get('content-type');
  return { type: 'found', contentType, contentLength, body, hidden: stream.hidden, asAnswer };
}

async function createUnusable(answer: HttpResponse, why: string): Promise<Downloaded> {
  return { ...(await discardAsUnavailable(answer, why)), unusable: true };
}

interface Begun {
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
  readonly rest: AsyncIterator<Uint8Array>;
}

/** The beginning of a body; `broken` if it was cut off there, so that it cannot be classified. */
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
    return 'broken';
  }
  return { bytes: Buffer.concat(chunks), isWhole: false, rest };
}

async function* resumeBody({ bytes, rest }: Begun): AsyncGenerator<Uint8Array> {
  yield bytes;
  yield* { [Symbol.asyncIterator]: () => rest };
}

function readLength(headers: Headers): number | null {
  const value = headers.get('content-length');
  return value !== null && /^\d+$/.test(value) ? Number(value) : null;
}
