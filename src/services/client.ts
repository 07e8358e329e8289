/** The client of a service: sends the requests of its definition, and reads answers into closed outcomes. */
import { hash } from 'node:crypto';
import type {
  FetchOutcome,
  FindOutcome,
  ListOutcome,
  PingOutcome,
  PollOutcome,
  SubmitOutcome,
  Unavailable,
} from '../domain/outcomes.ts';
import { canBeSynthetic } from '../kinds/provenance.ts';
import { findKind } from '../kinds/registry.ts';
import { resolveAnswers, isRefusal, discardAsUnavailable, createUnavailable } from './answers.ts';
import {
  describeRequest,
  ask,
  type Asking,
  checkToken,
  encodeBody,
  readServiceUrl,
  RequestFault,
  type Site,
} from './request.ts';
import { fetchFile, pollJob } from './jobs.ts';
import { findJob, listJobs } from './list.ts';
import { createHttp, type Http, type HttpSettings } from './http.ts';
import {
  parseConfig,
  findMaxNameLength,
  type FileRequest,
  type Job,
  type Request,
  type Service,
  type ServiceConfig,
} from './service.ts';
import { createNotNow, readSubmission, confirmWithPing } from './submission.ts';

export interface RequestOptions {
  /**
   * Aborts the request. A submission is then `unsure`, or `createNotNow` if no byte of it was written; everything else is
   * `discardAsUnavailable`.
   */
  readonly signal: AbortSignal;
}

interface SubmitOptions extends RequestOptions {
  /** Called when there is a connection, just before the first byte; false: it must not be sent, and is `createNotNow`. */
  readonly mayBegin?: () => boolean;
}

export interface ClientSettings extends HttpSettings {
  /** Of the service's own keys; default: their defaults. */
  readonly config?: ServiceConfig | undefined;
  /** `{base_url}` or `{mol_base_url}` of the contracts. */
  readonly url: string;
  /** By the names in the definition. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Secrets of other services: no answer of this one may bring them to disk either. */
  readonly otherSecrets?: readonly string[] | undefined;
}

/** Throws CONFIG_INVALID. */
export function makeClient(service: Service, settings: ClientSettings): ServiceClient {
  return new Client(service, settings);
}

export type ServiceClient = Pick<Client, keyof Client>;

/**
 * Closed outcomes, and no exceptions for what a service does. Its functions are its own, not of a prototype: the wrappers
 * around it spread it (polling.ts, metrics.ts).
 */
class Client {
  /** The service is on a local network: results of the synthetic engine are accepted from it. */
  readonly mayBeSynthetic: boolean;
  readonly #service: Service;
  readonly #config: ServiceConfig;
  readonly #site: Site;
  readonly #http: Http;
  /** Jobs that a 5xx has ended once. */
  readonly #failedOnce = new Set<string>();

  constructor(service: Service, settings: ClientSettings) {
    const base = readServiceUrl(settings.url);
    const { secrets, config = {} } = settings;
    for (const [name, secret] of Object.entries(secrets))
      checkToken(secret, service.secrets[name]?.maxLength ?? MAX_SECRET_LENGTH);
    const all = [...Object.values(secrets), ...(settings.otherSecrets ?? [])];
    this.#http = createHttp({ ...settings, service: service.name, secrets: all });
    this.#service = service;
    this.#config = parseConfig(service, config);
    this.#site = { base, origins: service.origins, secrets };
    this.mayBeSynthetic = canBeSynthetic(base);
  }

  readonly submit = async (job: Job, options: SubmitOptions): Promise<SubmitOutcome> => {
    const { submit, jobId } = this.#service;
    const config = this.#config;
    const order = await this.#guarded(this.#encode(job));
    if ('type' in order) return createNotNow('blocked', order.message);
    const answer = await this.#http.send({ method: 'POST', ...order, ...options });
    const outcome = await readSubmission(answer, order.url, {
      answers: resolveAnswers(submit.answers, config),
      subject: { job, config },
      isId: (id) => jobId.pattern?.test(id) ?? true,
      hasNames: findMaxNameLength(this.#service) !== null,
    });
    return confirmWithPing(outcome, () => this.ping(options));
  };

  async #encode(job: Job) {
    const { request, ...order } = describeRequest(this.#site, () => this.#describe(job));
    return { ...order, body: await encodeBody(this.#site, request) };
  }

  /** What a job is sent as, if an equal request finds it after a lost answer; else null. */
  readonly digestToRepeat = (job: Job): string | null => {
    if (this.#service.identity.by !== 'request') return null;
    return hash('sha256', JSON.stringify(this.#describe(job)));
  };

  #describe(job: Job): Request {
    const { submit, title, identity } = this.#service;
    const describe = submit.request[job.kind];
    if (!describe) throw new TypeError(`${title} takes no ${job.kind}`);
    const request = describe(job, this.#config);
    if (identity.by !== 'request' || identity.header === undefined) return request;
    return { ...request, headers: { ...request.headers, [identity.header]: job.name } };
  }

  readonly poll = (remoteId: string, options: RequestOptions): Promise<PollOutcome> =>
    this.#guarded(pollJob(this.#asking(options), remoteId, this.#failedOnce));

  readonly fetch = async (
    remoteId: string,
    artefact: string,
    options: RequestOptions,
  ): Promise<FetchOutcome> => {
    const { fetch, title } = this.#service;
    const file: FileRequest<ServiceConfig> | undefined = fetch[artefact];
    if (!file) return { type: 'absent', status: 404, message: `${title} has no such file` };
    return fetchFile(this.#asking(options), remoteId, file);
  };

  /** Looks a job up by the name it was submitted with. */
  readonly find = (kind: string, name: string, options: RequestOptions): Promise<FindOutcome> =>
    this.#guarded(findJob(this.#asking(options), { kind, name }));

  /** All jobs of a kind that the service has for our token. */
  readonly list = (kind: string, options: RequestOptions): Promise<ListOutcome> =>
    this.#guarded(listJobs(this.#asking(options), kind));

  /**
   * Requests a job that does not exist: costs nothing, and shows whether the service is available. 404 is the right answer,
   * and most other 4xx show that a server is there.
   */
  readonly ping = async (options: RequestOptions): Promise<PingOutcome> => {
    const { probe } = this.#service;
    const describe = () => probe.request(this.#config);
    const reply = await this.#guarded(ask(this.#asking(options), describe));
    if ('type' in reply) return reply;
    const { response } = reply;
    const { status } = response;
    if (status >= 500 || status === 429 || isRefusal(response))
      return discardAsUnavailable(response);
    await response.body.discard();
    return { type: 'well' };
  };

  /** The files that a finished job of this kind offers, beginning with the one that must exist first. */
  readonly artefacts = (kind: string): readonly string[] => listArtefacts(kind, 'finished');

  /** What a failed job of this kind still offers: its log. */
  readonly artefactsOfFailed = (kind: string): readonly string[] => listArtefacts(kind, 'failed');

  /** Whether this file is given only with a secret, although the state of a job is not. */
  readonly needsSecret = (artefact: string): boolean => {
    const { fetch, poll } = this.#service;
    const file = fetch[artefact]?.request(NO_ID, this.#config);
    return (file?.auth ?? []).length > 0 && !poll.request(NO_ID, this.#config).auth;
  };

  /** Until a GET that is sent now has its turn (ms). */
  readonly waitMs = (): number => this.#http.waitMs();

  /** Closes idle connections. */
  readonly close = (): Promise<void> => this.#http.close();

  #asking({ signal }: RequestOptions): Asking {
    const [service, config, site, http] = [this.#service, this.#config, this.#site, this.#http];
    return { service, config, site, http, signal };
  }

  /** What its definition describes wrongly is not sent. */
  async #guarded<T>(asked: Promise<T>): Promise<T | Unavailable> {
    return asked.catch((error: unknown) => {
      if (!(error instanceof RequestFault)) throw error;
      return createUnavailable(`${this.#service.title} cannot be asked: ${error.message}`);
    });
  }
}

/** Characters of a secret whose length the definition does not state. */
const MAX_SECRET_LENGTH = 4_096;
/** To see what its request is like. */
const NO_ID = '0';

function listArtefacts(kind: string, ended: 'finished' | 'failed'): readonly string[] {
  const all = Object.entries(findKind(kind).artefacts);
  return all
    .filter(([, { when = 'finished' }]) => when === ended || when === 'ended')
    .map(([name]) => name);
}
