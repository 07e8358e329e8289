/** The client of the molecule service. */
import type { ServiceClient, RequestOptions } from '../client.ts';
import { createHttp, type HttpSettings } from '../http.ts';
import { ping } from '../ping.ts';
import { mayBeSynthetic } from '../synthetic.ts';
import { checkToken, readServiceUrl, below } from '../target.ts';
import type { MoleculesAccess } from './access.ts';
import { poll } from './poll.ts';
import { noJob, submit } from './submit.ts';
import type {
  FindOutcome,
  ListOutcome,
  ArtefactName,
  FetchOutcome,
} from '../../domain/outcomes.ts';
import { download } from '../download.ts';

/** Characters. The contract says 10 (section 8), but not that others are refused: the service decides. */
const TOKEN_LIMIT = 100;

interface MoleculesSettings extends HttpSettings {
  /** `{mol_base_url}` */
  readonly url: string;
  readonly token: string;
  /** Requests that each job is listed on the public page of the service (contract 1.6). */
  readonly public?: boolean | undefined;
  /** Secrets of other services: no answer of this one may bring them to disk either. */
  readonly otherSecrets?: readonly string[] | undefined;
}

/** Throws SERVICE_URL_INVALID or TOKEN_UNUSABLE. */
export function createMoleculesClient(settings: MoleculesSettings): ServiceClient {
  const base = readServiceUrl(settings.url);
  checkToken(settings.token, TOKEN_LIMIT);
  const secrets = [settings.token, ...(settings.otherSecrets ?? [])];
  const http = createHttp({ ...settings, service: 'molecules', secrets });
  const access: MoleculesAccess = {
    http,
    base,
    token: settings.token,
    public: settings.public ?? false,
  };
  return {
    mayBeSynthetic: mayBeSynthetic(base),
    submit: (job, options) => submit(access, job, options),
    poll: (remoteId, options) => poll(access, remoteId, options),
    fetch: (remoteId, artefact, options) => fetch(access, remoteId, artefact, options),
    find,
    list,
    ping: (options) => ping(http, noJob(access), options),
    artefacts: (kind) => (kind === 'molecule' ? ['record'] : []),
    // The record contains the log; for a failed job it has no files.
    artefactsOfFailed: (kind) => (kind === 'molecule' ? ['record'] : []),
    close: () => http.close(),
  };
}

/** Looks up a job by its name: this service has neither a list nor unique names (contract section 4). */
function find(): Promise<FindOutcome> {
  return Promise.resolve({ type: 'unsupported' });
}

/** The contract of the molecule service has no list of the jobs of a token (section 4). */
function list(): Promise<ListOutcome> {
  const message =
    'the molecule service has no list of the jobs of a token; its page of public jobs shows those of all users';
  return Promise.resolve({ type: 'unsupported', message });
}

/** Downloads the record of a finished job, which contains all files (contract 4.4). */
async function fetch(
  access: MoleculesAccess,
  remoteId: string,
  artefact: ArtefactName,
  { signal }: RequestOptions,
): Promise<FetchOutcome> {
  if (artefact !== 'record') {
    return { type: 'absent', status: 404, message: 'the molecule service has no such file' };
  }
  return download({
    http: access.http,
    url: below(access.base, 'api', remoteId, ''),
    signal,
  });
}
