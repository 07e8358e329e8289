/** The client behind a reference. */
import type { ServiceReference } from '../domain/campaign.ts';
import type { ServiceClient } from '../services/client.ts';
import type { Dependencies, KnownService } from './dependencies.ts';
import { hindered } from './retry.ts';

const ANOTHER_WORKER_MAY_MS = 15_000;

/** Throws "not yet" if this worker does not know the service: another one may, or this one after a new configuration. */
export function clientOf(deps: Dependencies, reference: ServiceReference): ServiceClient {
  return serviceOf(deps, reference).client;
}

/** The same, with all that this worker knows about the service. */
export function serviceOf(deps: Dependencies, reference: ServiceReference): KnownService {
  const service = deps.serviceOf(reference) ?? deps.successorOf(reference);
  if (service) return service;
  const where = `${reference.service} at ${reference.address}`;
  throw hindered(
    `no worker here serves ${where}, credential ${reference.credential}`,
    ANOTHER_WORKER_MAY_MS,
  );
}
