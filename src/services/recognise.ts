/**
 * Checks that the configured service is at its address, before anything is submitted there. All requests are GETs of
 * things that do not exist; no redirect is followed, and no token is sent. Only unambiguous answers make an address
 * wrong: a service that is down, or refuses access, may be there.
 *
 * Rejected: treating every unexpected answer as a wrong address (an outage in the evening would refuse the night), and
 * a POST that must fail (it might not).
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '../domain/item.ts';
import { asObject } from '../kinds/json.ts';
import { answersFor, findMeaning, interpret, readAnswer } from './answers.ts';
import type { HttpAnswer } from './body.ts';
import type { Http } from './http.ts';
import { PERMANENT, redirectTarget } from './answers.ts';
import { allServices, serviceOf } from './registry.ts';
import { urlOf } from './request.ts';
import {
  type Answer,
  configOf,
  type Request,
  type Service,
  type ServiceConfig,
} from './service.ts';
import { readServiceUrl } from './request.ts';
import { isWebPage, serviceWords, shorten } from './answers.ts';

export type Recognition =
  /** The service. */
  | { readonly type: 'right' }
  /** No answer, or an error: it may be the service once it is back. */
  | { readonly type: 'away'; readonly message: string }
  /** A server is there and refuses access (401, 403, 407). */
  | { readonly type: 'refused'; readonly message: string }
  /** An answer that the service does not give, and that may be temporary: a login page, a temporary redirect. */
  | { readonly type: 'unclear'; readonly message: string }
  /** Certainly not the service. `better`: where it is, if its server redirects there or speaks the other variant. */
  | { readonly type: 'wrong'; readonly message: string; readonly better: Better | null };

interface Better {
  readonly url: string;
  /** The keys of its configuration that differ. */
  readonly config: ServiceConfig;
}

interface Probed {
  readonly service: Service;
  readonly config: ServiceConfig;
}

export interface Address {
  readonly service: ServiceName;
  readonly config: ServiceConfig;
  readonly url: string;
}

const AGAIN_AFTER_MS = 2_000;

/**
 * @param http with proxy, CA and gateway headers of this service
 * Throws SERVICE_URL_INVALID.
 */
export async function recognise(
  http: Http,
  address: Address,
  signal: AbortSignal,
): Promise<Recognition> {
  const base = readServiceUrl(address.url);
  const wanted = { service: serviceOf(address.service), config: address.config };
  const seen = await lookAt(http, base, wanted, signal);
  if (seen.type !== 'absent') return seen;
  const better = await findVariant(http, base, wanted, signal);
  if (better === null) {
    // A server that is being started or deployed answers 404 for a moment.
    await delay(AGAIN_AFTER_MS, undefined, { signal }).catch(() => undefined);
    const again = await lookAt(http, base, wanted, signal);
    if (again.type !== 'absent') return again;
  }
  const other = await findOther(http, base, wanted, signal);
  const what = other ?? whatIsThere(seen.look);
  return {
    type: 'wrong',
    message: `${address.url} is not ${wanted.service.title}: ${what}`,
    better,
  };
}

interface Look {
  readonly url: URL;
  /** null: no answer, for the reason in `words`. */
  readonly status: number | null;
  /** The error message, the title of a web page, or the JSON answer. */
  readonly words: string;
  readonly isPage: boolean;
  readonly json: Record<string, unknown> | null;
  /** The target of a redirect; null if it is not one. */
  readonly redirect: string | null;
  readonly answer: Answer | null;
}

/** Bytes of an answer that are read: enough for a title. */
const READ_BYTES = 64 * 1024;
/** Characters of a service's message that are shown. */
const SHOWN = 100;

async function look(http: Http, url: URL, signal: AbortSignal): Promise<Look> {
  const answer = await http.send({ method: 'GET', url, signal });
  return { url, ...(await read(answer, url)) };
}

async function read(answer: HttpAnswer, url: URL): Promise<Omit<Look, 'url'>> {
  const nothing = { isPage: false, json: null, redirect: null, answer: null };
  if (answer.type !== 'answered') return { ...nothing, status: null, words: answer.message };
  const { status } = answer;
  const redirect = redirectTarget(answer, url);
  const body = await answer.body.text(READ_BYTES);
  const seen = readAnswer(answer, url, body);
  const { text } = seen;
  const isPage = isWebPage(text);
  const words = shorten((serviceWords(text) ?? '').replace(/\s+/g, ' '), SHOWN);
  return { status, words, isPage, json: asObject(seen.json), redirect, answer: seen };
}

type Seen = Recognition | { readonly type: 'absent'; readonly look: Look };

async function lookAt(http: Http, base: URL, wanted: Probed, signal: AbortSignal): Promise<Seen> {
  const { config } = wanted;
  const { request, answers, submitPath } = wanted.service.probe;
  const { origins } = wanted.service;
  const address = (describe: (config: ServiceConfig) => Request) =>
    urlOf({ base, origins }, describe(config));
  const job = await look(http, address(request), signal);
  const passing = passes(job) ?? moved(job, base);
  if (passing) return passing;
  const meaning = findMeaning(answersFor(answers, config), job.status ?? 0);
  const said = job.answer && meaning && interpret('probe', meaning, job.answer, { config });
  if (said?.type === 'right') return { type: 'right' };
  if (said?.type === 'wrong') return { type: 'absent', look: job };
  if (!submitPath) return { type: 'unclear', message: whatIsThere(job) };
  const submit = await look(http, address(submitPath), signal);
  if (submit.status === 405 || submit.status === 400) return { type: 'right' };
  if (submit.status !== 404 || job.status !== 404) {
    return (
      passes(submit) ?? {
        type: 'unclear',
        message: whatIsThere(submit.status === 404 ? job : submit),
      }
    );
  }
  // A server without the endpoint gives the same answer as for any address.
  if (job.json !== null && (await differs(http, base, job, signal))) return { type: 'right' };
  return { type: 'absent', look: job };
}

/** Answers that say nothing about the address; null for all others. */
function passes({ url, status, words, isPage, redirect }: Look): Recognition | null {
  const where = `GET ${url.origin}${url.pathname}`;
  if (status === null) return { type: 'away', message: words };
  const said = `${where}: HTTP ${status}${words === '' ? '' : `, "${words}"`}`;
  if (status === 429 || status === 408 || status >= 500) return { type: 'away', message: said };
  if (status === 401 || status === 403 || status === 407) return { type: 'refused', message: said };
  if (status < 300 && isPage) {
    return { type: 'unclear', message: `${said}: a web page instead of JSON` };
  }
  const isMoved = PERMANENT.includes(status) && redirect !== null;
  if (status < 300 || status >= 400 || isMoved) return null;
  const to = redirect === null ? '' : ` to ${redirect}`;
  return { type: 'unclear', message: `${where}: HTTP ${status}, a temporary redirect${to}` };
}

/** A permanent redirect: the target address, without the path requested below it. */
function moved({ url, status, redirect }: Look, base: URL): Recognition | null {
  if (status === null || !PERMANENT.includes(status) || redirect === null) return null;
  const asked = url.pathname.slice(base.pathname.replace(/\/+$/, '').length);
  const target = redirect.endsWith(asked) ? redirect.slice(0, -asked.length) : null;
  const better = target === null ? null : { url: target, config: {} };
  const to = target ?? redirect;
  return {
    type: 'wrong',
    message: `${base.origin}${base.pathname} has moved permanently (HTTP ${status}) to ${to}`,
    better,
  };
}

/** Whether the answer for an unknown job differs from that for an address that certainly does not exist. */
async function differs(http: Http, base: URL, job: Look, signal: AbortSignal): Promise<boolean> {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}/hundredfold/no/such/address/`;
  const control = await look(http, url, signal);
  return control.status !== job.status || withoutPath(control) !== withoutPath(job);
}

function withoutPath({ json, url }: Look): string {
  return JSON.stringify(json).replaceAll(url.pathname, '').replaceAll(url.href, '');
}

async function isRight(
  http: Http,
  url: URL,
  wanted: Probed,
  signal: AbortSignal,
): Promise<boolean> {
  return (await lookAt(http, url, wanted, signal)).type === 'right';
}

/** The address itself if the service there speaks another variant; null if it does not. */
async function findVariant(
  http: Http,
  base: URL,
  { service, config }: Probed,
  signal: AbortSignal,
): Promise<Better | null> {
  for (const variant of service.variants) {
    if (Object.entries(variant).every(([key, value]) => config[key] === value)) continue;
    if (await isRight(http, base, { service, config: { ...config, ...variant } }, signal))
      return { url: base.href.replace(/\/+$/, ''), config: variant };
  }
  return null;
}

/** A sentence if another service is at this address; null if none is. */
async function findOther(
  http: Http,
  base: URL,
  wanted: Probed,
  signal: AbortSignal,
): Promise<string | null> {
  for (const service of allServices()) {
    if (service === wanted.service || !service.config.safeParse({}).success) continue;
    if (await isRight(http, base, { service, config: configOf(service, {}) }, signal))
      return `${service.title} is there`;
  }
  return null;
}

function whatIsThere({ url, status, words, isPage }: Look): string {
  const said = words === '' ? '' : isPage ? `, a web page "${words}"` : `, "${words}"`;
  return `GET ${url.origin}${url.pathname} answers HTTP ${status ?? 'nothing'}${said}`;
}
