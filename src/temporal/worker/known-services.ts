/** The services that a worker has an address and a token for: their clients and limits. */
import type { Client } from '@temporalio/client';
import type { KnownService } from '../../activities/dependencies.ts';
import { withRemoteGuard } from '../../budget/policy.ts';
import { revealNetwork } from '../../config/network.ts';
import { revealSecrets, type ServiceSettings } from '../../config/services.ts';
import type { ServiceReference } from '../../domain/campaign.ts';
import { withManners } from '../../services/polling.ts';
import { createClient } from '../../services/registry.ts';
import { observeClient, type Observation } from '../telemetry/observation.ts';
import { readWorkerLog } from '../telemetry/runtime.ts';
import type { Role } from '../../workflows/names.ts';
import { observeSignal } from '../../workflows/messages.ts';
import { buildBudgetWorkflowId, submitTaskQueue } from '../../workflows/names.ts';
import type { WorkerOptions } from './options.ts';

/** Some options of the worker. */
interface Around {
  readonly client: Client;
  readonly roles?: readonly Role[];
  readonly observation?: Observation;
}

/** The services of a worker, by reference: `findKnownService`. */
export function createKnownServices(
  services: readonly ServiceSettings[],
  secrets: readonly string[],
  options: Around,
): ReadonlyMap<string, KnownService> {
  return new Map(
    services.map((one) => [buildKey(one.reference), createKnownService(one, secrets, options)]),
  );
}

function createKnownService(
  settings: ServiceSettings,
  otherSecrets: readonly string[],
  { client: temporal, roles, observation = {} }: Around,
): KnownService {
  const { reference, url, config, policy, ledgerAddress, maxDownload } = settings;
  const { service } = reference;
  const network = revealNetwork(settings.network);
  const secrets = { secrets: revealSecrets(settings), otherSecrets };
  const { pace } = settings;
  const { betweenMs } = pace;
  const target = { service, url, config, ...secrets, network, maxDownload, betweenMs };
  const budgetOf = temporal.workflow.getHandle(buildBudgetWorkflowId(reference));
  return {
    pace,
    client: withManners(observeClient(observation, service, createClient(target)), {
      onRefusal(refusal) {
        // If this is lost, the next probe is refused as well and reported.
        budgetOf.signal(observeSignal, { reason: refusal?.message ?? null }).catch(logRefusal);
      },
    }),
    reference,
    budget: roles
      ? { policy: withRemoteGuard(policy), submitQueue: submitTaskQueue(reference) }
      : { policy },
    ledgerAddress,
  };
}

/** The one service at this address, whatever its token. */
export function findSuccessor(
  known: ReadonlyMap<string, KnownService>,
  { service, address }: ServiceReference,
): KnownService | null {
  const found = [...known].filter(([key]) => key.startsWith(`${service} ${address} `));
  return found.length === 1 ? (found[0]?.[1] ?? null) : null;
}

function logRefusal(error: unknown): void {
  readWorkerLog().warn('a budget was not notified that its service refuses requests', { error });
}

export function findKnownService(
  known: ReadonlyMap<string, KnownService>,
  reference: ServiceReference,
): KnownService | null {
  return known.get(buildKey(reference)) ?? null;
}

function buildKey({ service, address, credential }: ServiceReference): string {
  return `${service} ${address} ${credential}`;
}

/** All secrets that a service might repeat in its answers. */
export function listSecrets({ services, temporal, notify }: WorkerOptions): readonly string[] {
  const { url, network } = notify?.webhook ?? {};
  return [
    ...[
      ...services.flatMap((service) => [
        ...Object.values(service.secrets),
        ...service.network.secrets,
      ]),
      ...[url, ...(network?.secrets ?? [])],
    ].map((one) => one?.reveal() ?? ''),
    temporal.apiKey ?? '',
  ];
}
