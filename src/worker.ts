/** The worker: runs the workflows and activities of one task queue against one Temporal. */
import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type LogLevel,
} from '@temporalio/worker';
import { createActivities } from './activities/index.ts';
import { JobTimes } from './activities/job-times.ts';
import { ServerClock } from './activities/server-clock.ts';
import { ensureBudget } from './activities/watch.ts';
import type { Dependencies, KnownService } from './activities/dependencies.ts';
import { NOBODY, type NotifySettings } from './config/notify.ts';
import type { ServiceSettings } from './config/settings.ts';
import type { ServiceReference } from './domain/campaign.ts';
import { createClient } from './services/registry.ts';
import { publishTree } from './report/publish-tree.ts';
import { openFileStore } from './store/filesystem.ts';
import { workflowBundle } from './temporal/bundle.ts';
import { connectWorker, type TemporalAddress } from './temporal/connection.ts';

export interface WorkerOptions {
  readonly temporal: TemporalAddress;
  readonly client: Client;
  readonly taskQueue: string;
  /** The services that this worker has an address and a token for. */
  readonly services: readonly ServiceSettings[];
  /** Who is told of the end of a campaign; nobody when it is left out. */
  readonly notify?: NotifySettings;
  /** It answers questions about campaigns, and does nothing for them. */
  readonly workflowsOnly?: boolean;
  /** Puts something else, or something around, what the activities work with: a disk that fills up, a crash. */
  readonly dependencies?: (real: Dependencies) => Dependencies;
}

export interface RunningWorker {
  /** Lets what runs come to an end, POSTs first of all, and takes up nothing new. */
  stop(): Promise<void>;
  /** Rejects when the worker dies by itself. */
  readonly ended: Promise<void>;
}

/**
 * A POST has a deadline of 30 s; a worker that is told to stop gives it that long, because a POST that is broken
 * off is one whose fate is unknown (Temporal's default of 0 breaks it off at once).
 */
const GRACE = '35s';
/** A hung activity would stop the shutdown for ever (sdk-typescript #2266). */
const FORCE = '45s';

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { taskQueue, services, workflowsOnly = false } = options;
  const { dependencies = asTheyAre } = options;
  startRuntime?.();
  startRuntime = null;
  const connection = await connectWorker(options.temporal);
  const secrets = secretsOf(options);
  const known = new Map(services.map((one) => [keyOf(one.reference), know(one, secrets)]));
  const given = dependenciesOf(options, known);
  const worker = await Worker.create({
    connection,
    namespace: options.temporal.namespace,
    taskQueue,
    workflowBundle: await workflowBundle(),
    ...(workflowsOnly ? {} : { activities: createActivities(dependencies(given)) }),
    shutdownGraceTime: GRACE,
    shutdownForceTime: FORCE,
    // After a crash the default waits 10 s for the dead worker; 1 s fires falsely on a busy machine.
    stickyQueueScheduleToStartTimeout: '3s',
    // The default, 80 % of a heartbeat time-out, leaves a busy machine no time before a POST that lives counts as dead.
    maxHeartbeatThrottleInterval: '1s',
    maxCachedWorkflows: 1_000,
    // A burst of submissions that wait for their slots must leave room for the rest.
    maxConcurrentActivityTaskExecutions: 200,
    // All files of a job are fetched at once: none of them needs to go by way of the task queue.
    maxEagerActivityReservationsPerWorkflowTask: 8,
  });
  for (const { reference } of services) await ensureBudget(given, reference);
  const running = worker.run();
  running.catch(() => undefined);
  return {
    ended: running,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
      await Promise.all([...known.values()].map((service) => service.client.close()));
      await connection.close();
    },
  };
}

function asTheyAre(real: Dependencies): Dependencies {
  return real;
}

function dependenciesOf(
  { client, taskQueue, notify = NOBODY }: WorkerOptions,
  known: ReadonlyMap<string, KnownService>,
): Dependencies {
  return {
    serviceOf: (reference) => known.get(keyOf(reference)) ?? null,
    openStore: openFileStore,
    publishCampaign: publishTree,
    jobTimes: new JobTimes(),
    serverClock: new ServerClock(),
    notify,
    temporal: client,
    taskQueue,
    versions: { hundredfold: version(), node: process.version },
  };
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
    ...[...services.map((service) => service.token), url, token].map((one) => one?.reveal() ?? ''),
    temporal.apiKey ?? '',
  ];
}

function know(
  { reference, url, variant, token, limit, addressLimit, maxDownload }: ServiceSettings,
  otherSecrets: readonly string[],
): KnownService {
  const { service } = reference;
  const target = { service, url, variant, token: token.reveal(), otherSecrets, maxDownload };
  return {
    client: createClient(target),
    budget: {
      credential: reference.credential,
      credentialLimit: limit,
      addressLimit,
    },
  };
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
