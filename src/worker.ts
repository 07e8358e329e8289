/** The worker: runs the workflows and activities of one task queue against one Temporal. */
import type { Client } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Dependencies } from './activities/dependencies.ts';
import { createActivities } from './activities/index.ts';
import { ensureBudget } from './activities/watch.ts';
import { activityInterceptors } from './telemetry/observation.ts';
import { startRuntime, workerLog } from './telemetry/runtime.ts';
import { checkReadable } from './temporal/codec-check.ts';
import { processIdentity } from './temporal/identity.ts';
import { keepWorkersConnected } from './temporal/renewal.ts';
import { connectWorker } from './temporal/worker-connection.ts';
import { createWorkers, runTogether } from './temporal/workers.ts';
import { Watchdog } from './watchdog/watchdog.ts';
import { dependenciesOf, starterOf, treeLeases } from './worker/dependencies.ts';
import { knownServices, secretsOf } from './worker/known-services.ts';
import { completed, type Completed, type WorkerOptions } from './worker/options.ts';
import type { Activities } from './workflows/activity-types.ts';

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
