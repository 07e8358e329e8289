/** The client of the prediction service: sequences, alignments, NMR shifts. */
import type { Kind } from '../../domain/item.ts';
import type { ArtefactName, ExtraFormat } from '../../domain/outcomes.ts';
import type { ServiceClient } from '../client.ts';
import { createHttp, type HttpSettings } from '../http.ts';
import { ping } from '../ping.ts';
import { mayBeSynthetic } from '../synthetic.ts';
import { below, checkToken, readServiceUrl } from '../target.ts';
import type { PredictionsAccess } from './access.ts';
import { API_PATH, type Variant } from './earlier.ts';
import { fetch } from './fetch.ts';
import { find } from './find.ts';
import { list } from './list.ts';
import { poll } from './poll.ts';
import { noJob, submit } from './submit.ts';

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
    offer: () => Promise.resolve({ type: 'offered' }),
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
