/**
 * Checks that the configured service is at its address, before anything is submitted there. All requests are GETs of
 * things that do not exist; no redirect is followed, and no token is sent. Only unambiguous answers make an address
 * wrong: a service that is down, or refuses access, may be there.
 *
 * Rejected: treating every unexpected answer as a wrong address (an outage in the evening would refuse the night), and
 * a POST that must fail (it might not).
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '../domain/campaign.ts';
import { toObject } from '../kinds/json.ts';
import {
  resolveAnswers,
  findMeaning,
  interpret,
  isAnswered,
  PERMANENT,
  readAnswer,
  resolveRedirect,
  readServiceWords,
  shortenText,
} from './answers.ts';
import type { Http } from './http.ts';
import { listServices, findService } from './registry.ts';
import { readServiceUrl, buildUrl } from './request.ts';
import {
  type Answer,
  parseConfig,
  type Request,
  type Service,
  type ServiceConfig,
} from './service.ts';

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

export interface Address {
  readonly service: ServiceName;
  readonly config: ServiceConfig;
  readonly url: string;
}

/** Where and how is looked. */
interface Site {
  readonly http: Http;
  readonly base: URL;
  readonly signal: AbortSignal;
}

/** What is looked for. */
interface Search {
  readonly service: Service;
  readonly config: ServiceConfig;
}

const AGAIN_AFTER_MS = 2_000;

/**
 * @param http with proxy, CA and gateway headers of this service
 * Throws CONFIG_INVALID.
 */
export async function recognise(
  http: Http,
  { service: name, config, url }: Address,
  signal: AbortSignal,
): Promise<Recognition> {
  const site = { http, base: readServiceUrl(url), signal };
  const search = { service: findService(name), config };
  const first = await lookFor(site, search);
  if (first.type !== 'absent') return first;
  // A server that is being started or deployed answers 404 for a moment.
  await delay(AGAIN_AFTER_MS, undefined, { signal }).catch(() => undefined);
  const seen = await lookFor(site, search);
  if (seen.type !== 'absent') return seen;
  const { better, what = seen.message } = (await findOther(site, search)) ?? { better: null };
  return { type: 'wrong', message: `${url} is not ${search.service.title}: ${what}`, better };
}

/** An answer that says something about the address. */
interface Seen {
  readonly answer: Answer;
  /** Method and address. */
  readonly where: string;
  /** The error message, the title of a web page, or the JSON answer. */
  readonly words: string;
}

/** Bytes of an answer that are read: enough for a title. */
const READ_BYTES = 64 * 1024;
/** Characters of a service's message that are shown. */
const SHOWN = 100;

async function ask(site: Site, url: URL): Promise<Seen | Recognition> {
  const { http, signal } = site;
  const response = await http.send({ method: 'GET', url, signal });
  if (!isAnswered(response)) return { type: 'away', message: response.message };
  const { status, where } = response;
  const answer = readAnswer(response, url, await response.body.text(READ_BYTES));
  const words = shortenText((readServiceWords(answer.text) ?? '').replace(/\s+/g, ' '), SHOWN);
  const message = `${where}: HTTP ${status}${words === '' ? '' : `, "${words}"`}`;
  if (status === 429 || status === 408 || status >= 500) return { type: 'away', message };
  if (status === 401 || status === 403 || status === 407) return { type: 'refused', message };
  if (status >= 300 && status < 400) return recogniseRedirect(answer, where, url, site);
  if (status < 300 && answer.isPage)
    return { type: 'unclear', message: `${message}: a web page instead of JSON` };
  return { answer, where, words };
}

function recogniseRedirect(answer: Answer, where: string, url: URL, { base }: Site): Recognition {
  const { status } = answer;
  const target = resolveRedirect(answer, url);
  if (target === null || !PERMANENT.includes(status)) {
    const to = target === null ? '' : ` to ${target}`;
    return { type: 'unclear', message: `${where}: HTTP ${status}, a temporary redirect${to}` };
  }
  // The new address, without the path requested below it.
  const asked = url.pathname.slice(base.pathname.replace(/\/+$/, '').length);
  const better = target.endsWith(asked) ? target.slice(0, -asked.length) : null;
  return {
    type: 'wrong',
    message: `${base.origin}${base.pathname} has moved permanently (HTTP ${status}) to ${better ?? target}`,
    better: better === null ? null : { url: better, config: {} },
  };
}

type Absent = { readonly type: 'absent'; readonly message: string };

async function lookFor(site: Site, { service, config }: Search): Promise<Recognition | Absent> {
  const { origins, probe } = service;
  const addressOf = (request: Request) => buildUrl({ base: site.base, origins }, request);
  const job = await ask(site, addressOf(probe.request(config)));
  if ('type' in job) return job;
  const meaning = findMeaning(resolveAnswers(probe.answers, config), job.answer.status);
  const said = meaning && interpret('probe', meaning, job.answer, { config });
  if (said?.type === 'right') return { type: 'right' };
  if (!probe.submitPath) return { type: 'unclear', message: describeAnswer(job) };
  const submit = await ask(site, addressOf(probe.submitPath(config)));
  if ('type' in submit) return submit;
  const { status } = submit.answer;
  if (status === 405 || status === 400) return { type: 'right' };
  if (status !== 404) return { type: 'unclear', message: describeAnswer(submit) };
  if (job.answer.status !== 404) return { type: 'unclear', message: describeAnswer(job) };
  if (await isOwnAnswer(site, job)) return { type: 'right' };
  return { type: 'absent', message: describeAnswer(job) };
}

/** Whether the 404 for an unknown job differs from that for an address that certainly does not exist. */
async function isOwnAnswer(site: Site, { answer }: Seen): Promise<boolean> {
  if (toObject(answer.json) === null) return false;
  const url = new URL(site.base);
  url.pathname = `${site.base.pathname.replace(/\/+$/, '')}/hundredfold/no/such/address/`;
  const control = await ask(site, url);
  if ('type' in control || control.answer.status !== answer.status) return true;
  const bare = ({ text, path }: Answer) => text.replaceAll(path, '');
  return bare(control.answer) !== bare(answer);
}

/** The same service with another configuration, or another one, if it is at this address. */
async function findOther(
  site: Site,
  { service, config }: Search,
): Promise<{ readonly better: Better | null; readonly what?: string } | null> {
  const isAt = async (search: Search) => (await lookFor(site, search)).type === 'right';
  for (const variant of service.variants)
    if (await isAt({ service, config: { ...config, ...variant } }))
      return { better: { url: site.base.href.replace(/\/+$/, ''), config: variant } };
  for (const other of listServices()) {
    if (other === service || !other.config.safeParse({}).success) continue;
    if (await isAt({ service: other, config: parseConfig(other, {}) }))
      return { better: null, what: `${other.title} is there` };
  }
  return null;
}

function describeAnswer({ answer: { status, isPage }, where, words }: Seen): string {
  const said = words === '' ? '' : isPage ? `, a web page "${words}"` : `, "${words}"`;
  return `${where} answers HTTP ${status}${said}`;
}
