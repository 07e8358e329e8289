/** The worker: runs the workflows and activities of one task queue against one Temporal. */
import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  type LogLevel,
} from '@temporalio/worker';
import { createActivities } from './activities/index.ts';
import { JobTimes } from './activities/job-times.ts';
import { ServerClock } from './activities/server-clock.ts';
import { TreeLeases, type TreeAddress } from './activities/tree-leases.ts';
import { ensureBudget } from './activities/watch.ts';
import type { Dependencies, KnownService } from './activities/dependencies.ts';
import { NOBODY, type NotifySettings } from './config/notify.ts';
import { revealNetwork } from './config/network.ts';
import type { ServiceSettings } from './config/settings.ts';
import type { ServiceReference } from './domain/campaign.ts';
import { Ledger } from './ledger/ledger.ts';
import { withManners } from './services/manners.ts';
import { createClient } from './services/registry.ts';
import { publishTree } from './report/publish-tree.ts';
import { openFileStore } from './store/filesystem.ts';
import { warn } from './state/warn.ts';
import type { LeaseHolder } from './store/lease.ts';
import { Watchdog } from './watchdog/watchdog.ts';
import { createWorkers, runTogether, type Role } from './temporal/workers.ts';
import { checkReadable } from './temporal/codec-check.ts';
import { connectWorker, type TemporalAddress } from './temporal/connection.ts';
import { keepWorkersConnected } from './temporal/renewal.ts';
import { treeHolder, type EmbeddedServer } from './temporal/tree-holder.ts';
import { observeSignal } from './workflows/messages.ts';
import { budgetWorkflowId, DEFAULT_TASK_QUEUE, submitTaskQueue } from './workflows/names.ts';

export interface WorkerOptions {
  readonly temporal: TemporalAddress;
  readonly client: Client;
  readonly taskQueue: string;
  /** The services that this worker has an address and a token for. */
  readonly services: readonly ServiceSettings[];
  /** Who is told of the end of a campaign; nobody when it is left out. */
  readonly notify?: NotifySettings;
  /** The server of `client`, where it is an embedded one; null or left out where it was configured elsewhere. */
  readonly embedded?: EmbeddedServer | null;
  /** Where the ledger lies that all workers of this user and machine share (src/state). */
  readonly stateFolder: string;
  /** It answers questions about campaigns, and does nothing for them. */
  readonly workflowsOnly?: boolean;
  /** Where workers of other users share the Temporal: what this one does. Left out: it is the only one, and does all. */
  readonly roles?: readonly Role[];
  /** Between looks at the budgets (ms), see `Watchdog`; every ten seconds when it is left out. */
  readonly watchEveryMs?: number;
  /** Puts something else, or something around, what the activities work with: a disk that fills up, a crash. */
  readonly dependencies?: (real: Dependencies) => Dependencies;
}

export interface RunningWorker {
  /** Lets what runs come to an end, POSTs first of all, and takes up nothing new. May be called again. */
  stop(): Promise<void>;
  /** Rejects when the worker dies by itself. */
  readonly ended: Promise<void>;
}

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { taskQueue, services, workflowsOnly = false, roles = null } = options;
  const { dependencies = asTheyAre } = options;
  startRuntime?.();
  startRuntime = null;
  const connection = await connectWorker(options.temporal);
  const secrets = secretsOf(options);
  const known = new Map(services.map((one) => [keyOf(one.reference), know(one, secrets, options)]));
  const leases = treeLeases(options);
  const given = dependenciesOf(options, known, leases);
  await checkReadable(options.client, taskQueue);
  const activities = createActivities(dependencies(given));
  const group = await createWorkers({
    ...{ connection, namespace: options.temporal.namespace, taskQueue, roles },
    codec: options.temporal.codec ?? null,
    activities: workflowsOnly ? null : activities,
    references: services.map(({ reference }) => reference),
  });
  const access = keepWorkersConnected(connection, group, {
    reread: options.temporal.reread,
    open: (credentials) => connectWorker(options.temporal, credentials),
  });
  for (const { reference } of services) await ensureBudget(given, reference);
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
  };
  let stopped: Promise<void> | null = null;
  return { ended: workers.ended, stop: () => (stopped ??= stop()) };
}

/** A worker that only answers questions puts nothing right. */
function watchOver({ client, taskQueue, services, watchEveryMs }: WorkerOptions): Watchdog {
  const watchdog = new Watchdog({
    ...{ client, taskQueue, budgets: services.map(({ reference }) => reference) },
    say(message) {
      Runtime.instance().logger.warn(message);
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
): Dependencies {
  const { client, taskQueue, notify = NOBODY, stateFolder } = options;
  return {
    serviceOf: (reference) => known.get(keyOf(reference)) ?? null,
    successorOf: (reference) => (options.embedded ? successorIn(known, reference) : null),
    openStore: openExisting,
    leases,
    publishCampaign: publishTree,
    jobTimes: new JobTimes(),
    serverClock: new ServerClock(),
    ledger: new Ledger({ folder: stateFolder, owner: ownerOf(options), warn }),
    notify,
    temporal: client,
    taskQueue,
    versions: { hundredfold: version(), node: process.version },
  };
}

/** Unless it is told otherwise: an activity never makes the folder of a tree that is not here. */
const openExisting: Dependencies['openStore'] = (address, options) =>
  openFileStore(address, { create: false, ...options });

/** The trees of this task queue's campaigns are in the memos that `run` and `retry` gave them. */
function treeLeases({ client, taskQueue, embedded = null }: WorkerOptions): TreeLeases {
  let known: LeaseHolder | null = null;
  const query = `WorkflowType="campaign" AND ExecutionStatus="Running" AND TaskQueue="${taskQueue}"`;
  return new TreeLeases({
    async holder() {
      known ??= await treeHolder(client, embedded);
      return { ...known, server: embedded?.pid() ?? null };
    },
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

/** Whose budget the submissions are of: the queue of an embedded server is its own, that of another may be anybody's. */
function ownerOf({ temporal: { address, namespace }, taskQueue }: WorkerOptions): string {
  return taskQueue === DEFAULT_TASK_QUEUE ? `${address} ${namespace} ${taskQueue}` : taskQueue;
}

let startRuntime: (() => void) | null = null;

/** Where the SDK's own log goes; to be called once, before the first worker. */
export function logTo(write: (line: string) => void, level: LogLevel = 'WARN'): void {
  // Not yet: the runtime wakes several times a second for the log, also in a command that never works.
  startRuntime = () => installRuntime(write, level);
}

function installRuntime(write: (line: string) => void, level: LogLevel): void {
  const logger = new DefaultLogger(level, ({ level: lvl, message, timestampNanos, meta }) => {
    const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
    write(`${JSON.stringify({ time, level: lvl, message, ...plain(meta) })}\n`);
  });
  // The core writes its own log to stdout unless it is forwarded: stdout is for `--json` alone.
  const filter = makeTelemetryFilterString({ core: level, other: 'ERROR' });
  const telemetryOptions = { logging: { filter, forward: {} } };
  Runtime.install({ logger, telemetryOptions, shutdownSignals: [] });
}

/** All that a service might repeat and nobody may read. */
function secretsOf({ services, temporal, notify }: WorkerOptions): readonly string[] {
  const { url, token } = notify?.webhook ?? {};
  return [
    ...[
      ...services.flatMap((service) => [service.token, ...service.network.secrets]),
      ...[url, token],
    ].map((one) => one?.reveal() ?? ''),
    temporal.apiKey ?? '',
  ];
}

function know(
  settings: ServiceSettings,
  otherSecrets: readonly string[],
  { client: temporal, roles }: WorkerOptions,
): KnownService {
  const { reference, url, variant, token, limit, addressLimit, ledgerAddress } = settings;
  const { maxDownload, public: isPublic, formats } = settings;
  const { service } = reference;
  const asked = { maxDownload, public: isPublic, formats };
  const network = revealNetwork(settings.network);
  const target = { service, url, variant, token: token.reveal(), otherSecrets, network, ...asked };
  const budgetOf = temporal.workflow.getHandle(budgetWorkflowId(reference));
  return {
    client: withManners(createClient(target), {
      statusRequests: settings.statusRequests,
      onRefusal(refusal) {
        // Should it be lost: the next probe is refused as well, and told.
        budgetOf.signal(observeSignal, { reason: refusal?.message ?? null }).catch(logRefusal);
      },
    }),
    budget: {
      credential: reference.credential,
      credentialLimit: limit,
      addressLimit,
      maxUnfinished: settings.maxUnfinished,
      ...(roles && { submitQueue: submitTaskQueue(reference) }),
    },
    ledgerAddress,
  };
}

function successorIn(
  known: ReadonlyMap<string, KnownService>,
  { service, address }: ServiceReference,
): KnownService | null {
  const [, found] = [...known].find(([key]) => key.startsWith(`${service} ${address} `)) ?? [];
  return found ?? null;
}

function logRefusal(error: unknown): void {
  Runtime.instance().logger.warn('a budget was not told that its service refuses us', { error });
}

function keyOf({ service, address, credential }: ServiceReference): string {
  return `${service} ${address} ${credential}`;
}

export function version(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** Log details as JSON can hold them: errors by message, bigints as text. */
function plain(meta: Record<string, unknown> | undefined): Record<string, unknown> {
  const of = (value: unknown): unknown => {
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    return typeof value === 'bigint' ? value.toString() : value;
  };
  return Object.fromEntries(Object.entries(meta ?? {}).map(([key, value]) => [key, of(value)]));
}
