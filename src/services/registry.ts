/** The services by name. A third one is a new folder and a line here. */
import type { ServiceName } from '../domain/item.ts';
import type { ExtraFormat } from '../domain/outcomes.ts';
import type { ServiceClient } from './client.ts';
import type { HttpSettings } from './http.ts';
import { createMoleculesClient } from './molecules/client.ts';
import { createPredictionsClient } from './predictions/client.ts';
import type { Variant } from './predictions/earlier.ts';

interface Target extends HttpSettings {
  readonly service: ServiceName;
  /** `{base_url}` or `{mol_base_url}` of the contracts. */
  readonly url: string;
  /** Of the prediction service; default: `current`. */
  readonly variant?: Variant | undefined;
  readonly token: string;
  /** Of the molecule service: its jobs are listed on its public page. */
  readonly public?: boolean | undefined;
  /** Of the prediction service: download formats that are fetched in addition. */
  readonly formats?: readonly ExtraFormat[] | undefined;
  /** Secrets of other services: no answer of this one may bring them to disk either. */
  readonly otherSecrets?: readonly string[] | undefined;
}

const CLIENTS: Readonly<Record<ServiceName, (target: Target) => ServiceClient>> = {
  molecules: createMoleculesClient,
  predictions: (target) =>
    createPredictionsClient({ ...target, variant: target.variant ?? 'current' }),
};

/** Throws SERVICE_URL_INVALID or TOKEN_UNUSABLE. */
export function createClient(target: Target): ServiceClient {
  return CLIENTS[target.service](target);
}
