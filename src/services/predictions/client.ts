/** The client of the prediction service: sequences, alignments, NMR shifts. */
import type { Kind } from '../../domain/item.ts';
import type {
  ArtefactName,
  ExtraFormat,
  FindOutcome,
  ListOutcome,
  PastJob,
  FetchOutcome,
} from '../../domain/outcomes.ts';
import type { ServiceClient, RequestOptions } from '../client.ts';
import { createHttp, type HttpSettings } from '../http.ts';
import { ping } from '../ping.ts';
import { mayBeSynthetic } from '../synthetic.ts';
import { below, checkToken, readServiceUrl } from '../target.ts';
import type { PredictionsAccess } from './access.ts';
import { API_PATH, type Variant } from './earlier.ts';
import { poll } from './poll.ts';
import { noJob, submit } from './submit.ts';
import { isUsableId } from '../../domain/remote-id.ts';
import { pastPages, shiftChainPages } from './past-pages.ts';
import { searchPastResults, pastEntries } from './past-results.ts';
import { download } from '../download.ts';

/** Characters (contract section 8). */
const TOKEN_LIMIT = 100;

interface PredictionsSettings extends HttpSettings {
  /** `{base_url}`; the API path of the variant is added. */
  readonly url: string;
  readonly variant: Variant;
  readonly token: string;
  /** Fetched in addition to what a job of its kind always offers. */
  readonly formats?: readonly ExtraFormat[] | undefined;
  /** Secrets of other services: no answer of this one may bring them to disk either. */
  readonly otherSecrets?: readonly string[] | undefined;
}

/** Contract 4.4 to 4.6. Section 9 changes none of these endpoints, so both variants offer them. */
const ARTEFACTS: Readonly<Record<Kind, readonly ArtefactName[]>> = {
  molecule: [],
  sequence: ['result', 'history', 'csv', 'metadata'],
  alignment: ['result', 'history', 'csv', 'metadata', 'distributions'],
  shifts: ['result', 'history', 'csv', 'metadata'],
};

/** Throws SERVICE_URL_INVALID or TOKEN_UNUSABLE. */
export function createPredictionsClient(settings: PredictionsSettings): ServiceClient {
  const base = readServiceUrl(settings.url);
  checkToken(settings.token, TOKEN_LIMIT);
  const { formats = [] } = settings;
  const path = API_PATH[settings.variant];
  const secrets = [settings.token, ...(settings.otherSecrets ?? [])];
  const http = createHttp({ ...settings, service: 'predictions', secrets });
  const access: PredictionsAccess = {
    http,
    variant: settings.variant,
    token: settings.token,
    api: (...segments) => below(base, ...path, ...segments),
    withoutApi: (...segments) => below(base, ...path.slice(0, -1), ...segments),
  };
  return {
    mayBeSynthetic: mayBeSynthetic(base),
    // All options are part of the contract.
    submit: (job, options) => submit(access, job, options),
    poll: (remoteId, options) => poll(access, remoteId, options),
    fetch: (remoteId, artefact, options) => fetch(access, remoteId, artefact, options),
    find: (kind, name, options) => find(access, kind, name, options),
    list: (kind, options) => list(access, kind, options),
    ping: (options) => ping(http, noJob(access), options),
    artefacts: (kind) => [...ARTEFACTS[kind], ...(kind === 'molecule' ? [] : formats)],
    artefactsOfFailed: (kind) => (kind === 'molecule' ? [] : ['history']),
    close: () => http.close(),
  };
}

/** Looks up a job by its unique name in the past results of the token (contract 4.7). */
async function find(
  access: PredictionsAccess,
  kind: Kind,
  name: string,
  { signal }: RequestOptions,
): Promise<FindOutcome> {
  const listed = { entries: 0, named: 0 };
  for await (const page of pastPages(access, kind, signal)) {
    if (page.type !== 'page') return page;
    const { remoteId, entries, named } = searchPastResults(page.json, name);
    if (remoteId !== null) {
      // The job exists, but its id cannot be polled. Not "absent", after which it would be submitted again.
      return isUsableId(remoteId) ? { type: 'found', remoteId } : { type: 'unsupported' };
    }
    listed.entries += entries;
    listed.named += named;
  }
  // A list without names cannot show that a name is missing.
  const nameless = listed.entries > 0 && listed.named === 0;
  return { type: nameless ? 'unsupported' : 'absent' };
}

/** All requests of the token for one prediction type (contract 4.7); those of shifts also by their chains (4.8). */
async function list(
  access: PredictionsAccess,
  kind: Kind,
  { signal }: RequestOptions,
): Promise<ListOutcome> {
  const jobs = new Map<string, PastJob>();
  // A list that grows while it is read may show a job on two pages.
  const add = (json: unknown): void => {
    for (const entry of pastEntries(json))
      if (!jobs.has(entry.remoteId)) jobs.set(entry.remoteId, { kind, ...entry });
  };
  for await (const page of pastPages(access, kind, signal)) {
    if (page.type === 'unsupported') {
      const message = `the service does not list past results of the kind ${kind}`;
      return { type: 'unsupported', message };
    }
    if (page.type === 'unavailable') return page;
    add(page.json);
  }
  let missing: string | null = null;
  for await (const page of kind === 'shifts' ? shiftChainPages(access, signal) : []) {
    // A service without this page has listed everything.
    if (page.type === 'unavailable')
      missing = `the chains of past shift predictions: ${page.message}`;
    else if (page.type === 'page') add(page.json);
  }
  return { type: 'listed', jobs: [...jobs.values()], ...(missing !== null && { missing }) };
}

/** Downloads what a finished job offers (contract 4.4 to 4.6). */
async function fetch(
  access: PredictionsAccess,
  remoteId: string,
  artefact: ArtefactName,
  { signal }: RequestOptions,
): Promise<FetchOutcome> {
  const common = { http: access.http, signal };
  switch (artefact) {
    case 'result':
      return download({ ...common, url: access.api('results', remoteId, '') });
    case 'history':
      return download({ ...common, url: access.api('results', remoteId, 'history', '') });
    case 'csv':
    case 'metadata':
    case 'distributions':
    case 'json':
    case 'input': {
      // One of the two samples of this call in the contract (4.6) omits `/api/`: if the first path is unknown, the
      // second is tried. It costs one GET, and only at services that follow that sample.
      const headers = { 'x-service-token': access.token };
      const path = ['results', remoteId, 'download', ''] as const;
      const withApi = withFormat(access.api(...path), artefact);
      const first = await download({ ...common, headers, url: withApi });
      if (first.type !== 'absent' || first.status !== 404) return first;
      const withoutApi = withFormat(access.withoutApi(...path), artefact);
      const second = await download({ ...common, headers, url: withoutApi });
      // A page or a failure at a path that may not exist does not replace the answer of the first path.
      return second.type === 'found' ? second : first;
    }
    case 'record':
      return { type: 'absent', status: 404, message: 'the prediction service has no such file' };
  }
}

function withFormat(url: URL, format: string): URL {
  url.searchParams.set('format', format);
  return url;
}
