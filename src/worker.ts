/** The worker: runs the workflows and activities of one task queue against one Temporal. */
import { Client } from '@temporalio/client';
import type { ActivityInterceptorsFactory, NativeConnection } from '@temporalio/worker';
import { createActivities } from './activities/index.ts';
import { CredentialLeases } from './activities/credential-leases.ts';
import { JobTimes } from './activities/job-times.ts';
import { WantedCampaigns } from './activities/wanted-campaigns.ts';
import { ServerClock } from './activities/server-clock.ts';
import { EndReporter } from './activities/end-reporter.ts';
import { TreeLeases, type TreeAddress } from './activities/tree-leases.ts';
import { ensureBudget } from './activities/watch.ts';
import type { Dependencies, KnownService } from './activities/dependencies.ts';
import { NOBODY, type NotifySettings } from './config/notify.ts';
import type { Environment } from './domain/environment.ts';
import { everyCredential, type ServiceSettings } from './config/services.ts';
import { Ledger } from './ledger/ledger.ts';
import { systemClock } from './ledger/steady-clock.ts';
import { publishTree } from './report/publish-tree.ts';
import { openStore } from './store/open-store.ts';
import { warn } from './state/warn.ts';
import type { LeaseHolder } from './store/lease.ts';
import { Watchdog } from './watchdog/watchdog.ts';
import type { Build } from './temporal/build.ts';
import type { Role } from './temporal/roles.ts';
import { connectWorker } from './temporal/worker-connection.ts';
import { TRACED_CALLS } from './temporal/traced-calls.ts';
import { createWorkers, runTogether } from './temporal/workers.ts';
import { dataConverterOf } from './temporal/codec.ts';
import { checkReadable } from './temporal/codec-check.ts';
import type { TemporalAddress } from './temporal/connection.ts';
import { keepWorkersConnected } from './temporal/renewal.ts';
import { activityInterceptors, observeStore, type Observation } from './telemetry/observation.ts';
import { startRuntime, workerLog } from './telemetry/runtime.ts';
import { openTracing } from './telemetry/tracing.ts';
import { programVersion } from './program/files.ts';
import { processIdentity } from './temporal/identity.ts';
import { treeHolder, type EmbeddedServer } from './temporal/tree-holder.ts';
import { DEFAULT_TASK_QUEUE } from './workflows/names.ts';
import { knownServices, serviceIn, successorIn } from './worker/known-services.ts';
import type { Activities } from './workflows/activity-types.ts';
import { runningWorkflows } from './workflows/running-workflows.ts';

export interface WorkerOptions {
  readonly temporal: TemporalAddress;
  readonly client: Client;
  readonly taskQueue: string;
  /** The services that this worker has an address and a token for. */
  readonly services: readonly ServiceSettings[];
  /** How to notify of the end of a campaign; by default there is no notification. */
  readonly notify?: NotifySettings;
  /** The server of `client`, if it is an embedded one; null or absent for a remote Temporal. */
  readonly embedded?: EmbeddedServer | null;
  /** Says whether traces are wanted; the command of a notification gets it without secrets. */
  readonly environment: Environment;
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

/** What a test replaces in a worker. */
export interface Replacements {
  /** Replaces or wraps the dependencies of the activities: a disk that fills up, a crash. */
  readonly dependencies?: (real: Dependencies) => Dependencies;
  /** Between checks of the budgets (ms), see `Watchdog`; default: ten seconds. */
  readonly watchEveryMs?: number;
}

export interface RunningWorker {
  /** Finishes running work, POSTs first, and accepts no new work. May be called repeatedly. */
  stop(): Promise<void>;
  /** Rejects when the worker ends because of an error. */
  readonly ended: Promise<void>;
}

export function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  return startWorkerWith(options, {});
}

export async function startWorkerWith(
  given: WorkerOptions,
  replacements: Replacements,
): Promise<RunningWorker> {
  const options = await completed(given);
  const { temporal, taskQueue, services, observation, workflowsOnly = false } = options;
  startRuntime();
  const connection = await connectWorker(temporal);
  const opened = await openWith(options, starterOf(options, connection), replacements);
  const group = await createWorkers({
    connection,
    namespace: temporal.namespace,
    taskQueue,
    roles: options.roles ?? null,
    build: options.build ?? null,
    identity: temporal.identity ?? processIdentity(),
    interceptors: opened.interceptors,
    onRunEnd: observation.tracing?.runs,
    codec: temporal.codec ?? null,
    activities: workflowsOnly ? null : opened.activities,
    references: services.map(({ reference }) => reference),
  });
  const access = keepWorkersConnected(connection, group, {
    reread: temporal.reread,
    rereadEveryMs: temporal.rereadEveryMs,
    open: (credentials) => connectWorker(temporal, credentials),
  });
  await opened.begin();
  observation.follow?.(...group);
  const workers = runTogether(group);
  workers.ended.finally(() => opened.stopRepairs()).catch(() => undefined);
  const stop = async (): Promise<void> => {
    await opened.stopRepairs();
    await workers.stop();
    await opened.close();
    await access.close();
  };
  let stopped: Promise<void> | null = null;
  return { ended: workers.ended, stop: () => (stopped ??= stop()) };
}

/** Activities for workers that the caller creates, with everything that must run beside them. */
interface OpenActivities {
  readonly activities: Activities;
  /** Around every activity. */
  readonly interceptors: ActivityInterceptorsFactory[];
  close(): Promise<void>;
}

/** One task queue for everything: its workers have all tokens. */
export async function openActivities(given: WorkerOptions): Promise<OpenActivities> {
  const opened = await openWith(await completed(given), null, {});
  await opened.begin();
  return opened;
}

/** With each credential of the services on its own, and with traces if they are wanted. */
interface Completed extends WorkerOptions {
  readonly observation: Observation;
}

async function completed(given: WorkerOptions): Promise<Completed> {
  const { services, observation, environment } = given;
  const tracing = await openTracing(environment);
  return {
    ...given,
    services: everyCredential(services),
    observation: { ...observation, tracing },
  };
}

interface Opened extends OpenActivities {
  /** Starts the budgets of the services, and what runs beside the workers. */
  begin(): Promise<void>;
  /** While the workers end, no budget is repaired. */
  stopRepairs(): Promise<void>;
}

async function openWith(
  options: Completed,
  starter: Client | null,
  { dependencies = asTheyAre, watchEveryMs }: Replacements,
): Promise<Opened> {
  const { client, taskQueue, services, observation, workflowsOnly = false } = options;
  const known = knownServices(services, secretsOf(options), options);
  const leases = treeLeases(options);
  const given = dependenciesOf(options, known, leases, starter);
  await checkReadable(client, taskQueue);
  const watchdog = watchdogOf(options, watchEveryMs);
  return {
    activities: createActivities(dependencies(given)),
    interceptors: activityInterceptors(observation, client),
    async begin() {
      for (const { reference } of services) await ensureBudget(given, reference);
      watchdog.start();
      if (!workflowsOnly) leases.start();
    },
    stopRepairs: () => watchdog.stop(),
    async close() {
      await watchdog.stop();
      if (!workflowsOnly) await leases.stop();
      await Promise.all([...known.values()].map((service) => service.client.close()));
      given.ledger.stop();
      await observation.tracing?.flush();
    },
  };
}

/** A worker that only answers queries has no services, and repairs nothing. */
function watchdogOf(
  { client, taskQueue, services }: WorkerOptions,
  lookEveryMs: number | undefined,
): Watchdog {
  return new Watchdog({
    client,
    taskQueue,
    budgets: services.map(({ reference }) => reference),
    say(message) {
      workerLog().warn(message);
    },
    ...(lookEveryMs !== undefined && { lookEveryMs }),
  });
}

function asTheyAre(real: Dependencies): Dependencies {
  return real;
}

function dependenciesOf(
  options: Completed,
  known: ReadonlyMap<string, KnownService>,
  leases: TreeLeases,
  starter: Client | null,
): Dependencies {
  const { client, taskQueue, notify = NOBODY, environment, stateFolder, observation } = options;
  const steadyClock = systemClock();
  return {
    serviceOf: (reference) => serviceIn(known, reference),
    successorOf: (reference) => (options.embedded ? successorIn(known, reference) : null),
    openStore: async (...where) => observeStore(observation, await openExisting(...where)),
    leases,
    tokens: new CredentialLeases({ holder: holderOf(options), openStore: (at) => openStore(at) }),
    publishCampaign: publishTree,
    jobTimes: new JobTimes(),
    wantedCampaigns: new WantedCampaigns(),
    serverClock: new ServerClock(),
    steadyClock,
    ledger: new Ledger({ folder: stateFolder, owner: ownerOf(options), clock: steadyClock, warn }),
    notify,
    environment,
    temporal: client,
    ...(starter && { starter }),
    ends: new EndReporter(client),
    taskQueue,
    versions: { hundredfold: programVersion(), node: process.version },
  };
}

/** Null if the workers' connection is replaced when its credentials change. */
function starterOf(
  { temporal: { namespace, identity = processIdentity(), codec = null, reread } }: WorkerOptions,
  connection: NativeConnection,
): Client | null {
  if (reread) return null;
  const dataConverter = dataConverterOf(codec);
  return new Client({ connection, namespace, identity, dataConverter, interceptors: TRACED_CALLS });
}

/** By default: an activity never creates the folder of a missing tree. */
const openExisting: Dependencies['openStore'] = (address, options) =>
  openStore(address, { create: false, ...options });

/** Read each time: the embedded server may have been restarted. */
function holderOf({
  client,
  embedded = null,
}: Pick<WorkerOptions, 'client' | 'embedded'>): () => Promise<LeaseHolder> {
  let known: LeaseHolder | null = null;
  return async () => {
    known ??= await treeHolder(client, embedded);
    return { ...known, server: embedded?.pid() ?? null };
  };
}

/** The trees of this task queue's campaigns are in the memos set by `run` and `retry`. */
function treeLeases({ client, taskQueue, embedded = null }: WorkerOptions): TreeLeases {
  const query = runningWorkflows(['campaign'], { taskQueue });
  return new TreeLeases({
    holder: holderOf({ client, embedded }),
    openStore: openExisting,
    async openTrees() {
      const trees: TreeAddress[] = [];
      for await (const { memo } of client.workflow.list({ query })) {
        const { out, tree } = memo ?? {};
        if (typeof out !== 'string') continue;
        trees.push({ store: out, ...(typeof tree === 'string' && { tree }) });
      }
      return trees;
    },
  });
}

/** The owner of the submissions' budget: the queue of an embedded server is its own, a remote one may be shared. */
function ownerOf({ temporal: { address, namespace }, taskQueue }: WorkerOptions): string {
  return taskQueue === DEFAULT_TASK_QUEUE ? `${address} ${namespace} ${taskQueue}` : taskQueue;
}

/** All secrets that a service might repeat in its answers. */
function secretsOf({ services, temporal, notify }: WorkerOptions): readonly string[] {
  const { url, token, network } = notify?.webhook ?? {};
  return [
    ...[
      ...services.flatMap((service) => [service.token, ...service.network.secrets]),
      ...[url, token, ...(network?.secrets ?? [])],
    ].map((one) => one?.reveal() ?? ''),
    temporal.apiKey ?? '',
  ];
}
