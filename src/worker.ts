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
import { everyCredential, type ServiceSettings } from './config/services.ts';
import { Ledger } from './ledger/ledger.ts';
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
  /** Folder of the ledger that all workers of this user and machine share (src/state). */
  readonly stateFolder: string;
  /** The worker only answers queries about campaigns. */
  readonly workflowsOnly?: boolean;
  /** Its roles, if it shares the Temporal with workers of other users. Default: all, as the only worker. */
  readonly roles?: readonly Role[];
  /** Its version of the program, if the workers of a Temporal are versioned. */
  readonly build?: Build;
  /** Between checks of the budgets (ms), see `Watchdog`; default: ten seconds. */
  readonly watchEveryMs?: number;
  /** Shows operators what the worker does; default: nothing. */
  readonly observation?: Observation;
  /** Replaces or wraps the dependencies of the activities: a disk that fills up, a crash. */
  readonly dependencies?: (real: Dependencies) => Dependencies;
}

export interface RunningWorker {
  /** Finishes running work, POSTs first, and accepts no new work. May be called repeatedly. */
  stop(): Promise<void>;
  /** Rejects when the worker ends because of an error. */
  readonly ended: Promise<void>;
}

export async function startWorker(given: WorkerOptions): Promise<RunningWorker> {
  const options = { ...given, services: everyCredential(given.services) };
  return startWith(options);
}

async function startWith(options: WorkerOptions): Promise<RunningWorker> {
  const { taskQueue, services, workflowsOnly = false, roles = null, build = null } = options;
  const { dependencies = asTheyAre } = options;
  const observation = await observationOf(options);
  startRuntime();
  const connection = await connectWorker(options.temporal);
  const known = knownServices(services, secretsOf(options), { ...options, observation });
  const leases = treeLeases(options);
  const given = dependenciesOf(options, known, leases, starterOf(options, connection));
  await checkReadable(options.client, taskQueue);
  const activities = createActivities(dependencies(given));
  const group = await createWorkers({
    connection,
    namespace: options.temporal.namespace,
    taskQueue,
    roles,
    build,
    identity: options.temporal.identity ?? processIdentity(),
    interceptors: activityInterceptors(observation, options.client),
    onRunEnd: observation.tracing?.runs,
    codec: options.temporal.codec ?? null,
    activities: workflowsOnly ? null : activities,
    references: services.map(({ reference }) => reference),
  });
  const access = keepWorkersConnected(connection, group, {
    reread: options.temporal.reread,
    rereadEveryMs: options.temporal.rereadEveryMs,
    open: (credentials) => connectWorker(options.temporal, credentials),
  });
  for (const { reference } of services) await ensureBudget(given, reference);
  observation.follow?.(...group);
  const workers = runTogether(group);
  const watchdog = watchOver(options);
  workers.ended.finally(() => watchdog.stop()).catch(() => undefined);
  if (!workflowsOnly) leases.start();
  const stop = async (): Promise<void> => {
    await watchdog.stop();
    await workers.stop();
    if (!workflowsOnly) await leases.stop();
    await Promise.all([...known.values()].map((service) => service.client.close()));
    given.ledger.stop();
    await access.close();
    await observation.tracing?.flush();
  };
  let stopped: Promise<void> | null = null;
  return { ended: workers.ended, stop: () => (stopped ??= stop()) };
}

/** A worker that only answers queries repairs nothing. */
function watchOver({ client, taskQueue, services, watchEveryMs }: WorkerOptions): Watchdog {
  const watchdog = new Watchdog({
    client,
    taskQueue,
    budgets: services.map(({ reference }) => reference),
    say(message) {
      workerLog().warn(message);
    },
    ...(watchEveryMs !== undefined && { lookEveryMs: watchEveryMs }),
  });
  watchdog.start();
  return watchdog;
}

function asTheyAre(real: Dependencies): Dependencies {
  return real;
}

function dependenciesOf(
  options: WorkerOptions,
  known: ReadonlyMap<string, KnownService>,
  leases: TreeLeases,
  starter: Client | null,
): Dependencies {
  const { client, taskQueue, notify = NOBODY, stateFolder, observation = {} } = options;
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
    ledger: new Ledger({ folder: stateFolder, owner: ownerOf(options), warn }),
    notify,
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
  const query = `WorkflowType="campaign" AND ExecutionStatus="Running" AND TaskQueue="${taskQueue}"`;
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

async function observationOf({ observation }: WorkerOptions): Promise<Observation> {
  return { ...observation, tracing: await openTracing(process.env) };
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
  const options = { ...given, services: everyCredential(given.services) };
  const observation = await observationOf(options);
  const known = knownServices(options.services, secretsOf(options), { ...options, observation });
  const leases = treeLeases(options);
  const dependencies = dependenciesOf(options, known, leases, null);
  await checkReadable(options.client, options.taskQueue);
  for (const { reference } of options.services) await ensureBudget(dependencies, reference);
  const watchdog = watchOver(options);
  leases.start();
  return {
    activities: createActivities(dependencies),
    interceptors: activityInterceptors(observation, options.client),
    async close() {
      await watchdog.stop();
      await leases.stop();
      await Promise.all([...known.values()].map((service) => service.client.close()));
      dependencies.ledger.stop();
      await observation.tracing?.flush();
    },
  };
}
