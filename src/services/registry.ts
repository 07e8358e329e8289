/** The services by name. */
import type { ServiceName } from '../domain/item.ts';
import { makeClient, type ClientSettings, type ServiceClient } from './client.ts';
import { molecules } from './molecules.ts';
import { predictions } from './predictions.ts';
import type { Service } from './service.ts';

export const SERVICES_BY_NAME: Readonly<Record<ServiceName, Service>> = { molecules, predictions };

type Target = Omit<ClientSettings, 'variant' | 'public' | 'formats'> & {
  readonly service: ServiceName;
} & { readonly [K in 'variant' | 'public' | 'formats']?: ClientSettings[K] | undefined };

/** Throws SERVICE_URL_INVALID or TOKEN_UNUSABLE. */
export function createClient({ service, ...target }: Target): ServiceClient {
  const { variant = 'current', public: isPublic = false, formats = [] } = target;
  return makeClient(SERVICES_BY_NAME[service], { ...target, variant, public: isPublic, formats });
}
