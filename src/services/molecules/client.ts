/** The client of the molecule service. */
import type { ServiceClient } from '../client.ts';
import { createHttp, type HttpSettings } from '../http.ts';
import { NO_JOB, ping } from '../ping.ts';
import { below, checkToken, readServiceUrl } from '../target.ts';
import { createRedact } from '../words.ts';
import type { MoleculesAccess } from './access.ts';
import { fetch } from './fetch.ts';
import { find } from './find.ts';
import { poll } from './poll.ts';
import { submit } from './submit.ts';

/** Characters. The contract says 10 (section 8), but not that others are refused: the service decides. */
const TOKEN_LIMIT = 100;

export interface MoleculesSettings extends HttpSettings {
  /** `{mol_base_url}` */
  readonly url: string;
  readonly token: string;
}

/** Throws SERVICE_URL_INVALID or TOKEN_UNUSABLE. */
export function createMoleculesClient(settings: MoleculesSettings): ServiceClient {
  const base = readServiceUrl(settings.url);
  checkToken(settings.token, TOKEN_LIMIT);
  const http = createHttp(settings);
  const access: MoleculesAccess = {
    http,
    base,
    token: settings.token,
    redact: createRedact(settings.token),
  };
  return {
    submit: (job, options) => submit(access, job, options),
    poll: (remoteId, options) => poll(access, remoteId, options),
    fetch: (remoteId, artefact, options) => fetch(access, remoteId, artefact, options),
    find,
    ping: (options) => ping(http, below(base, 'api', 'queue', NO_JOB, ''), options),
    artefacts: (kind) => (kind === 'molecule' ? ['record'] : []),
    close: () => http.close(),
  };
}
