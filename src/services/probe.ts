/** One harmless probe of a service address: a GET of something that does not exist. */
import type { ServiceName } from '../domain/item.ts';
import type { HttpAnswer } from './http-answer.ts';
import type { Http } from './http.ts';
import { NO_JOB } from './ping.ts';
import { API_PATH, type Variant } from './predictions/earlier.ts';
import { redirectTarget } from './redirect.ts';
import { below } from './target.ts';
import { isWebPage, serviceWords, shorten } from './words.ts';
import { asObject } from '../results/json.ts';
import { parseBoundedJson } from './bounded-json.ts';

/** The service and variant to look for. */
export interface ProbedService {
  readonly service: ServiceName;
  readonly variant: Variant;
}

export interface Look {
  readonly url: URL;
  /** null: no answer, for the reason in `words`. */
  readonly status: number | null;
  /** The error message, the title of a web page, or the JSON answer. */
  readonly words: string;
  readonly isPage: boolean;
  readonly json: Record<string, unknown> | null;
  /** The target of a redirect; null if it is not one. */
  readonly redirect: string | null;
}

/** Bytes of an answer that are read: enough for a title. */
const READ_BYTES = 64 * 1024;
/** Characters of a service's message that are shown. */
const SHOWN = 100;

export async function look(http: Http, url: URL, signal: AbortSignal): Promise<Look> {
  const answer = await http.send({ method: 'GET', url, signal });
  return { url, ...(await read(answer, url)) };
}

async function read(answer: HttpAnswer, url: URL): Promise<Omit<Look, 'url'>> {
  const nothing = { isPage: false, json: null, redirect: null };
  if (answer.type !== 'answered') return { ...nothing, status: null, words: answer.message };
  const { status } = answer;
  const redirect = redirectTarget(answer, url);
  const body = await answer.body.text(READ_BYTES);
  const text = body.type === 'broken' ? '' : body.text;
  const isPage = isWebPage(text);
  const words = shorten((serviceWords(text) ?? '').replace(/\s+/g, ' '), SHOWN);
  return { status, words, isPage, json: asObject(parseBoundedJson(text)), redirect };
}

/** A job that does not exist: predictions answer in the words of their contract (section 7). */
export function jobPath(base: URL, { service, variant }: ProbedService): URL {
  if (service === 'molecules') return below(base, 'api', 'queue', NO_JOB, '');
  return below(base, ...API_PATH[variant], 'results', NO_UUID, '');
}

/** Where jobs are submitted by POST: a GET is refused with 405, and can never create a job. */
export function submitPath(base: URL, { service, variant }: ProbedService): URL {
  if (service === 'molecules') return below(base, 'api');
  return below(base, ...API_PATH[variant], 'submit', 'single-sequence', '');
}

/** With dashes: a server may route only UUIDs to the endpoint of results. */
const NO_UUID = '00000000-0000-0000-0000-000000000000';
