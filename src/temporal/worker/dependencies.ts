/** What a worker is started with, and what its activities use: the services, store, ledger, clocks and leases. */
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { JobsSeen, type Dependencies, type KnownService } from '../../activities/dependencies.ts';
import { CredentialLeases, type TreeAddress, TreeLeases } from '../../activities/leases.ts';
import { Fence } from '../../activities/gates.ts';
import { withRemoteGuard } from '../../budget/policy.ts';
import { revealNetwork } from '../../config/network.ts';
import { revealSecrets, type ServiceSettings } from '../../config/services.ts';
import type { NotifySettings } from '../../config/settings.ts';
import type { ServiceReference } from '../../domain/campaign.ts';
import { Ledger } from '../../ledger/ledger.ts';
import { createSystemClock } from '../../ledger/steady-clock.ts';
import { readProgramVersion, warn } from '../../program.ts';
import { publishCampaign } from '../../report/publish.ts';
import { withThrottling } from '../../services/polling.ts';
import { createClient } from '../../services/registry.ts';
import type { LeaseHolder } from '../../store/lease.ts';
import { openStore } from '../../store/open-store.ts';
import { type Observation, observeClient, readWorkerLog } from '../telemetry/metrics.ts';
import { loadDataConverter, processIdentity, type TemporalAddress } from '../connection.ts';
import type { Build } from '../bundle.ts';
import { createTreeHolder, type EmbeddedServer } from '../tree-holder.ts';
import { observeSignal } from '../../workflows/messages.ts';
import {
  buildBudgetWorkflowId,
  type Role,
  submitTaskQueue,
  buildRunningQuery,
} from '../../workflows/names.ts';

export interface WorkerOptions {
  readonly temporal: TemporalAddress;
  readonly client: Client;
  readonly taskQueue: string;
  /** The services that this worker has an address and a token for. */
  readonly services: readonly ServiceSettings[];
  /** Who is notified of the end of a campaign; by default nobody. */
  readonly notify?: NotifySettings | null;
  /** The server of `client`, if it is an embedded one; null or absent for a remote Temporal. */
  readonly embedded?: EmbeddedServer | null;
  /** Folder of the ledger that all workers of this user and machine share (src/state). */
  readonly stateFolder: string;
  /** The worker only answers queries about campaigns. */
  readonly workflowsOnly?: boolean;
  /** Its roles, if it shares the Temporal with workers of other users. Default: all, as the only worker. */
  readonly roles?: readonly Role[];
  /** Its version of the program, if the workers of a Temporal are versioned. */
  readonly build?: Build;
  /** Shows operators what the worker does; default: nothing. */
  readonly observation?: Observation;
}

export function createDependencies(
  options: WorkerOptions,
  known: readonly KnownService[],
  leases: TreeLeases,
  starter: Client,
): Dependencies {
  const { client, taskQueue, notify = null, stateFolder } = options;
  const steadyClock = createSystemClock();
  return {
    serviceOf: (reference) =>
      listAt(known, reference).find((one) => one.reference.credential === reference.credential) ??
      null,
    successorOf(reference) {
      const [found, ...others] = options.embedded ? listAt(known, reference) : [];
      return others.length === 0 ? (found ?? null) : null;
    },
    openStore: openExisting,
    leases,
    tokens: new CredentialLeases({
      holder: createHolderReader(options),
      openStore: (at) => openStore(at),
    }),
    publishCampaign,
    jobsSeen: new JobsSeen(),
    fence: new Fence(client, steadyClock),
    steadyClock,
    ledger: new Ledger({ folder: stateFolder, clock: steadyClock, warn }),
    notify,
    temporal: client,
    starter,
    taskQueue,
    versions: { hundredfold: readProgramVersion(), node: process.version },
  };
}

/** Starts workflows through the connection of the workers, so that their first task comes with the answer. */
export function createStarter(
  { temporal: { namespace, identity = processIdentity(), codec = null } }: WorkerOptions,
  connection: NativeConnection,
): Client {
  const dataConverter = loadDataConverter(codec);
  return new Client({ connection, namespace, identity, dataConverter });
}

/** By default: an activity never creates the folder of a missing tree. */
const openExisting: Dependencies['openStore'] = (address, options) =>
  openStore(address, { create: false, ...options });

/** Read each time: the embedded server may have been restarted. */
function createHolderReader({
  client,
  embedded = null,
  stateFolder,
}: Pick<WorkerOptions, 'client' | 'embedded' | 'stateFolder'>): () => Promise<LeaseHolder> {
  let asked: Promise<LeaseHolder> | null = null;
  return async () => {
    // One call for the submissions of a burst.
    asked ??= createTreeHolder(client, embedded, stateFolder);
    const known = await asked.catch((error: unknown) => {
      asked = null;
      throw error;
    });
    return { ...known, server: embedded?.pid() ?? null };
  };
}

/** The trees of this task queue's campaigns are in the memos set by `run` and `retry`. */
export function createTreeLeases(options: WorkerOptions): TreeLeases {
  const { client, taskQueue } = options;
  const query = buildRunningQuery(['campaign'], { taskQueue });
  return new TreeLeases({
    holder: createHolderReader(options),
    openStore: openExisting,
    async openTrees() {
      const trees: TreeAddress[] = [];
      for await (const { memo } of client.workflow.list({ query })) {
        const { out, tree } = memo ?? {};
        if (typeof out === 'string' && typeof tree === 'string') trees.push({ store: out, tree });
      }
      return trees;
    },
  });
}

export function createKnownServices(options: WorkerOptions): readonly KnownService[] {
  const otherSecrets = listSecrets(options);
  return options.services.map((one) => createKnownService(one, otherSecrets, options));
}

function createKnownService(
  settings: ServiceSettings,
  otherSecrets: readonly string[],
  { client: temporal, roles, observation = {} }: WorkerOptions,
): KnownService {
  const { reference, url, config, policy, ledgerAddress, pace } = settings;
  const { service } = reference;
  const network = revealNetwork(settings.network);
  const secrets = { secrets: revealSecrets(settings), otherSecrets };
  const { betweenMs } = pace;
  const target = { service, url, config, ...secrets, network, betweenMs };
  const budgetOf = temporal.workflow.getHandle(buildBudgetWorkflowId(reference));
  return {
    pace,
    client: withThrottling(observeClient(observation, service, createClient(target)), {
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

/** Those of a service at an address, whatever their tokens. */
function listAt(
  known: readonly KnownService[],
  { service, address }: ServiceReference,
): readonly KnownService[] {
  return known.filter(
    ({ reference }) => reference.service === service && reference.address === address,
  );
}

function logRefusal(error: unknown): void {
  readWorkerLog().warn('a budget was not notified that its service refuses requests', { error });
}

/** All secrets that a service might repeat in its answers. */
function listSecrets({ services, temporal, notify }: WorkerOptions): readonly string[] {
  const networks = [...services, ...(notify ? [notify] : [])].map(({ network }) => network);
  return [
    ...services.flatMap((service) => Object.values(revealSecrets(service))),
    ...networks.flatMap((network) => revealNetwork(network).secrets),
    notify?.url.reveal() ?? '',
    temporal.apiKey ?? '',
  ];
}
