/** The client of a service: sends the requests of its definition, and reads answers into closed outcomes. */
import type { Kind } from '../domain/item.ts';
import type {
  ArtefactName,
  FetchOutcome,
  FindOutcome,
  ListOutcome,
  PastJob,
  PingOutcome,
  PollOutcome,
  SubmitOutcome,
  Unavailable,
} from '../domain/outcomes.ts';
import { isUsableId } from '../domain/remote-id.ts';
import { parseJson } from '../results/json.ts';
import { connectionFailed, isAnswered, refusesUs, unavailable } from './availability.ts';
import { complexity } from './bounded-json.ts';
import { download } from './download.ts';
import { createHttp, type Http, type HttpSettings } from './http.ts';
import { readPoll } from './poll.ts';
import type { Body, Job, ListMeaning, Request, Service, ServiceConfig } from './service.ts';
import type { Permission } from './submission-line.ts';
import { readSubmission, settled } from './submission.ts';
import { mayBeSynthetic } from './synthetic.ts';
import { below, checkToken, readServiceUrl } from './target.ts';

export interface RequestOptions {
  /**
   * Aborts the request. A submission is then `unsure`, or `notNow` if no byte of it was written; everything else is
   * `unavailable`.
   */
  readonly signal: AbortSignal;
}

export interface SubmitOptions extends RequestOptions {
  /** It is not sent if the service has failed since then; default: allowed now. */
  readonly permission?: Permission;
  /** Called once, when a connection is available and before a byte is written; false: it must no longer be sent. */
  readonly beforeSending?: () => Promise<boolean>;
  /** Called after it, just before the first byte; false: it must not be sent, and is `notNow`. */
  readonly mayBegin?: () => boolean;
}

/** Closed outcomes, and no exceptions for what a service does. */
export interface ServiceClient {
  /** The service is on a local network: results of the synthetic engine are accepted from it (synthetic.ts). */
  readonly mayBeSynthetic: boolean;
  submit(job: Job, options: SubmitOptions): Promise<SubmitOutcome>;
  poll(remoteId: string, options: RequestOptions): Promise<PollOutcome>;
  fetch(remoteId: string, artefact: ArtefactName, options: RequestOptions): Promise<FetchOutcome>;
  /** Looks a job up by the name it was submitted with. */
  find(kind: Kind, name: string, options: RequestOptions): Promise<FindOutcome>;
  /** All jobs of a kind that the service has for our token. */
  list(kind: Kind, options: RequestOptions): Promise<ListOutcome>;
  /** Requests a job that does not exist: costs nothing, and shows whether the service is available. */
  ping(options: RequestOptions): Promise<PingOutcome>;
  /** The files that a finished job of this kind offers, beginning with the one that must exist first. */
  artefacts(kind: Kind): readonly ArtefactName[];
  /** What a failed job of this kind still offers: its log. */
  artefactsOfFailed(kind: Kind): readonly ArtefactName[];
  /** Closes idle connections. */
  close(): Promise<void>;
}

export interface ClientSettings extends HttpSettings {
  /** Of the service's own keys; default: their defaults. */
  readonly config?: ServiceConfig | undefined;
  /** `{base_url}` or `{mol_base_url}` of the contracts. */
  readonly url: string;
  readonly token: string;
  /** Secrets of other services: no answer of this one may bring them to disk either. */
  readonly otherSecrets?: readonly string[] | undefined;
}

/** Maximum number of pages: a list that never ends is not an answer. */
const MAX_PAGES = 200;

type Page = ListMeaning | { readonly type: 'unsupported' } | Unavailable;

/** Throws SERVICE_URL_INVALID or TOKEN_UNUSABLE. */
export function makeClient(service: Service, settings: ClientSettings): ServiceClient {
  const client = new Client(service, settings);
  // An object with functions of its own: the wrappers around it spread it (manners.ts, observation.ts).
  return {
    mayBeSynthetic: client.mayBeSynthetic,
    submit: (job, options) => client.submit(job, options),
    poll: (remoteId, options) => client.poll(remoteId, options),
    fetch: (remoteId, artefact, options) => client.fetch(remoteId, artefact, options),
    find: (kind, name, options) => client.find(kind, name, options),
    list: (kind, options) => client.list(kind, options),
    ping: (options) => client.ping(options),
    artefacts: (kind) => client.artefacts(kind),
    artefactsOfFailed: (kind) => client.artefactsOfFailed(kind),
    close: () => client.close(),
  };
}

class Client implements ServiceClient {
  readonly mayBeSynthetic: boolean;
  readonly #service: Service;
  readonly #config: ServiceConfig;
  readonly #base: URL;
  readonly #token: string;
  readonly #http: Http;

  constructor(service: Service, settings: ClientSettings) {
    this.#base = readServiceUrl(settings.url);
    checkToken(settings.token, service.setup.token.maxLength);
    const secrets = [settings.token, ...(settings.otherSecrets ?? [])];
    this.#http = createHttp({ ...settings, service: service.name, secrets });
    this.#service = service;
    this.#config = { ...(service.setup.defaults as ServiceConfig), ...settings.config };
    this.#token = settings.token;
    this.mayBeSynthetic = mayBeSynthetic(this.#base);
  }

  async submit(job: Job, options: SubmitOptions): Promise<SubmitOutcome> {
    const { submit, title } = this.#service;
    const describe = submit.request[job.options.kind] as
      ((job: Job, config: ServiceConfig) => Request) | undefined;
    if (!describe) throw new TypeError(`${title} takes no ${job.options.kind}`);
    const request = describe(job, this.#config);
    const body = await encodeBody(request.body ?? { json: {} }, this.#secretField(request));
    const address = this.#address(request);
    const answer = await this.#http.send({ method: 'POST', ...address, body, ...options });
    const outcome = await readSubmission(answer, submit.accepted);
    return settled(outcome, () => this.ping(options));
  }

  async poll(remoteId: string, { signal }: RequestOptions): Promise<PollOutcome> {
    const { request, answers, maxBytes } = this.#service.poll;
    const answer = await this.#get(request(remoteId, this.#config), signal);
    return readPoll(answer, answers(this.#config), maxBytes);
  }

  async fetch(
    remoteId: string,
    artefact: ArtefactName,
    { signal }: RequestOptions,
  ): Promise<FetchOutcome> {
    const { fetch, title } = this.#service;
    const file = fetch[artefact];
    const request = file?.request(remoteId, this.#config) ?? null;
    if (request === null)
      return { type: 'absent', status: 404, message: `${title} has no such file` };
    const order = { http: this.#http, signal };
    const first = await download({ ...order, ...this.#address(request) });
    if (!file?.elsewhere || first.type !== 'absent' || first.status !== 404) return first;
    const other = file.elsewhere(remoteId, this.#config);
    const second = await download({ ...order, ...this.#address(other) });
    // A page or a failure at a path that may not exist does not replace the answer of the first path.
    return second.type === 'found' ? second : first;
  }

  async find(kind: Kind, name: string, { signal }: RequestOptions): Promise<FindOutcome> {
    if (this.#service.identity !== 'name') return { type: 'unsupported' };
    const listed = { jobs: 0, named: 0 };
    for await (const page of this.#pages(kind, signal)) {
      if (page.type !== 'page') return page;
      const found = page.jobs.find(({ names }) => names.includes(name));
      if (found) {
        // The job exists, but its id cannot be polled. Not "absent", after which it would be submitted again.
        const { remoteId } = found;
        return isUsableId(remoteId) ? { type: 'found', remoteId } : { type: 'unsupported' };
      }
      listed.jobs += page.jobs.length;
      listed.named += page.jobs.filter(({ names }) => names.length > 0).length;
    }
    // A list without names cannot show that a name is missing.
    const isNameless = listed.jobs > 0 && listed.named === 0;
    return { type: isNameless ? 'unsupported' : 'absent' };
  }

  async list(kind: Kind, { signal }: RequestOptions): Promise<ListOutcome> {
    const { list, title } = this.#service;
    if ('missing' in list) return { type: 'unsupported', message: list.missing };
    // A list that grows while it is read may show a job on two pages.
    const jobs = new Map<string, PastJob>();
    for await (const page of this.#pages(kind, signal)) {
      if (page.type === 'unavailable') return page;
      if (page.type === 'unsupported') {
        const message = `${title} does not list past results of the kind ${kind}`;
        return { type: 'unsupported', message };
      }
      for (const { names, ...job } of page.jobs)
        if (!jobs.has(job.remoteId))
          jobs.set(job.remoteId, { kind, ...job, jobName: names[0] ?? null });
    }
    return { type: 'listed', jobs: [...jobs.values()] };
  }

  /** 404 is the right answer, and most other 4xx show that a server is there. */
  async ping({ signal }: RequestOptions): Promise<PingOutcome> {
    const answer = await this.#get(this.#service.probe.request(this.#config), signal);
    if (!isAnswered(answer)) return connectionFailed(answer);
    const { status } = answer;
    if (status >= 500 || status === 429 || refusesUs(answer)) return unavailable(answer);
    await answer.body.discard();
    return { type: 'well' };
  }

  artefacts(kind: Kind): readonly ArtefactName[] {
    const { artefacts, fetch } = this.#service;
    const isWanted = (name: ArtefactName) => fetch[name]?.request('', this.#config) !== null;
    return (artefacts[kind]?.finished ?? []).filter(isWanted);
  }

  artefactsOfFailed(kind: Kind): readonly ArtefactName[] {
    return this.#service.artefacts[kind]?.failed ?? [];
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** Ends after the first page that is none. */
  async *#pages(kind: Kind, signal: AbortSignal): AsyncGenerator<Page> {
    const { list } = this.#service;
    const seen = new Set<string>();
    let query: Readonly<Record<string, string>> | null = {};
    while (query !== null) {
      const request = 'missing' in list ? null : list.request(kind, query, this.#config);
      if (request === null || 'missing' in list) {
        yield { type: 'unsupported' };
        return;
      }
      const key = JSON.stringify(query);
      if (seen.has(key) || seen.size >= MAX_PAGES) {
        const { origin, pathname } = this.#address(request).url;
        yield unreadable(`${origin}${pathname}: the list of past results does not end`);
        return;
      }
      seen.add(key);
      const page: Page = await this.#page(request, list, signal);
      yield page;
      query = page.type === 'page' ? page.next : null;
    }
  }

  async #page(
    request: Request,
    { read, maxBytes }: Exclude<Service['list'], { readonly missing: string }>,
    signal: AbortSignal,
  ): Promise<Page> {
    const answer = await this.#get(request, signal);
    if (!isAnswered(answer)) return connectionFailed(answer);
    if (answer.status === 404) {
      await answer.body.discard();
      // Not an empty list: without the list, it is unknown whether a job exists.
      return { type: 'unsupported' };
    }
    if (answer.status !== 200) return unavailable(answer);
    const body = await answer.body.text(maxBytes);
    if (body.type === 'broken') return unreadable(body.message);
    // It will not be shorter or simpler next time.
    if (body.type === 'tooLong' || complexity(body.text) !== null) return { type: 'unsupported' };
    const json = parseJson(body.text);
    return json === undefined ? unreadable(`${answer.where}: the answer is not JSON`) : read(json);
  }

  #get(request: Request, signal: AbortSignal) {
    return this.#http.send({ method: 'GET', ...this.#address(request), signal });
  }

  #address(request: Request): { url: URL; headers: Record<string, string> } {
    const { auth } = request;
    const url = requestUrl(this.#base, request);
    return { url, headers: auth?.in === 'header' ? { [auth.name]: this.#token } : {} };
  }

  #secretField({ auth }: Request): Readonly<Record<string, string>> {
    return auth?.in === 'body' ? { [auth.name]: this.#token } : {};
  }
}

/** The address of a request, without the token. */
export function requestUrl(base: URL, { path, query = {} }: Request): URL {
  const url = below(base, ...path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

async function encodeBody(
  body: Body,
  secret: Readonly<Record<string, string>>,
): Promise<{ contentType: string; bytes: Uint8Array }> {
  if ('json' in body) {
    const bytes = new TextEncoder().encode(JSON.stringify({ ...secret, ...body.json }));
    return { contentType: 'application/json', bytes };
  }
  const form = new FormData();
  for (const [key, value] of Object.entries({ ...secret, ...body.multipart })) form.set(key, value);
  for (const [key, { name, text }] of Object.entries(body.files))
    form.set(key, new Blob([text], { type: 'text/plain' }), name);
  // The runtime's own multipart writer, with a known length: some proxies refuse chunked uploads.
  const encoded = new Response(form);
  return {
    contentType: encoded.headers.get('content-type') ?? 'multipart/form-data',
    bytes: new Uint8Array(await encoded.arrayBuffer()),
  };
}

function unreadable(message: string): Unavailable {
  return { type: 'unavailable', message, retryAfterMs: null };
}
