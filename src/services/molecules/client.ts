/** The client of the molecule service. */
import type { ServiceClient } from '../client.ts';
import { createHttp, type HttpSettings } from '../http.ts';
import { ping } from '../ping.ts';
import { mayBeSynthetic } from '../synthetic.ts';
import { checkToken, readServiceUrl } from '../target.ts';
import type { MoleculesAccess } from './access.ts';
import { fetch } from './fetch.ts';
import { find } from './find.ts';
import { list } from './list.ts';
import { Offers } from './offer.ts';
import { poll } from './poll.ts';
import { noJob, submit } from './submit.ts';

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
  const offers = new Offers(access);
  return {
    mayBeSynthetic: mayBeSynthetic(base),
    offer: (job, options) => offers.offer(job, options),
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
