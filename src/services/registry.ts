/** The services by name. */
import type { ServiceName } from '../domain/item.ts';
import { makeClient, type ClientSettings, type ServiceClient } from './client.ts';
import { molecules } from './molecules.ts';
import { predictions } from './predictions.ts';
import type { Service } from './service.ts';

const BY_NAME: Readonly<Record<ServiceName, Service>> = { molecules, predictions };

export const ALL_SERVICES: readonly Service[] = Object.values(BY_NAME);

export function serviceOf(name: ServiceName): Service {
  return BY_NAME[name];
}

/** Throws SERVICE_URL_INVALID or TOKEN_UNUSABLE. */
export function createClient({
  service,
  ...settings
}: ClientSettings & { readonly service: ServiceName }): ServiceClient {
  return makeClient(serviceOf(service), settings);
}
