/** The worker: runs the workflows and activities of one task queue against one Temporal. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Dependencies } from './activities/dependencies.ts';
import { createActivities } from './activities/index.ts';
import { ensureBudget } from './activities/budget-run.ts';
import { warn } from './program.ts';
import {
  createActivityInterceptors,
  startRuntime,
  readWorkerLog,
} from './temporal/telemetry/metrics.ts';
import { processIdentity } from './temporal/connection.ts';
import { connectWorker, createWorkers, runTogether } from './temporal/workers.ts';
import { forgetDeadWorker, Watchdog } from './temporal/watchdog.ts';
import {
  createDependencies,
  createKnownServices,
  createStarter,
  createTreeLeases,
  type WorkerOptions,
} from './temporal/worker/dependencies.ts';
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
  options: WorkerOptions,
  replacements: Replacements,
): Promise<RunningWorker> {
  const { temporal, taskQueue, services, observation = {}, workflowsOnly = false } = options;
  startRuntime({ isShared: options.embedded == null });
  const connection = await connectWorker(temporal);
  const opened = await openWith(options, createStarter(options, connection), replacements);
  const group = await createWorkers({
    connection,
    namespace: temporal.namespace,
    taskQueue,
    roles: options.roles ?? null,
    build: options.build ?? null,
    identity: temporal.identity ?? processIdentity(),
    interceptors: opened.interceptors,
    codec: temporal.codec ?? null,
    activities: workflowsOnly ? null : opened.activities,
    references: services.map(({ reference }) => reference),
  });
  await opened.begin();
  observation.follow?.(...group);
  const workers = runTogether(group);
  workers.ended.finally(() => opened.stopRepairs()).catch(() => undefined);
  const stop = async (): Promise<void> => {
    await opened.stopRepairs();
    await workers.stop();
    await opened.close();
    await connection.close();
  };
  let stopped: Promise<void> | null = null;
  return { ended: workers.ended, stop: () => (stopped ??= stop()) };
}

/** Activities, with everything that must run beside their workers. */
interface Opened {
  readonly activities: Activities;
  /** Around every activity. */
  readonly interceptors: ActivityInterceptorsFactory[];
  close(): Promise<void>;
  /** Starts the budgets of the services, and what runs beside the workers. */
  begin(): Promise<void>;
  /** While the workers end, no budget is repaired. */
  stopRepairs(): Promise<void>;
}

async function openWith(
  options: WorkerOptions,
  starter: Client,
  { dependencies = keepDependencies, watchEveryMs }: Replacements,
): Promise<Opened> {
  const { services, observation = {}, workflowsOnly = false } = options;
  const known = createKnownServices(options);
  const leases = createTreeLeases(options);
  const given = createDependencies(options, known, leases, starter);
  const watchdog = createWatchdog(options, given, watchEveryMs);
  return {
    activities: createActivities(dependencies(given)),
    interceptors: createActivityInterceptors(observation),
    async begin() {
      // First: a task that a message begins would wait for the dead worker.
      await forgetDeadWorker(options.client, options.taskQueue).catch((error: unknown) => {
        readWorkerLog().warn(`tasks of a dead worker wait for a time-out: ${String(error)}`);
      });
      for (const { reference } of services) await ensureBudget(given, reference);
      watchdog.start();
      if (!workflowsOnly) leases.start();
    },
    stopRepairs: () => watchdog.stop(),
    async close() {
      await watchdog.stop();
      if (!workflowsOnly) await leases.stop();
      await Promise.all(known.map((service) => service.client.close()));
      given.ledger.stop();
    },
  };
}

/** A worker that only answers queries has no services, and repairs nothing. */
function createWatchdog(
  { client, services }: WorkerOptions,
  dependencies: Dependencies,
  intervalMs: number | undefined,
): Watchdog {
  return new Watchdog({
    client,
    budgets: services.map(({ reference }) => reference),
    startBudget: (reference, reason) => ensureBudget(dependencies, reference, reason),
    say(message) {
      readWorkerLog().warn(message);
    },
    ...(intervalMs !== undefined && { intervalMs }),
  });
}

function keepDependencies(real: Dependencies): Dependencies {
  return real;
}

export type StoppableWorker = Pick<RunningWorker, 'stop'>;

/** Between attempts to restart it. */
const PAUSE_MS = 1_000;

/**
 * A worker that is restarted when it fails. The SDK shuts a worker down when a workflow's code returns an unexpected
 * answer; this happened in a process that was suspended for more than 5 s and received a query meanwhile (SDK 1.24.0).
 * The process itself would continue without a worker.
 * @param onDeath called each time the worker has failed or could not be restarted
 */
export function startLastingWorker(
  options: WorkerOptions,
  onDeath: (error: unknown) => void = warnOfDeath,
): Promise<StoppableWorker> {
  return keepRunning(() => startWorker(options), { onDeath, pauseMs: PAUSE_MS });
}

interface Keeping {
  readonly onDeath: (error: unknown) => void;
  readonly pauseMs: number;
}

export async function keepRunning(
  start: () => Promise<RunningWorker>,
  { onDeath, pauseMs }: Keeping,
): Promise<StoppableWorker> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const isStopping = (): boolean => signal.aborted;
  let current: RunningWorker | null = await start();
  const keepGoing = async (): Promise<void> => {
    while (!isStopping()) {
      try {
        current ??= await start();
        // It may have been stopped while it started: `stop` waits for that.
        if (!isStopping()) await current.ended;
        return;
      } catch (error) {
        if (isStopping()) return;
        onDeath(error);
        await current?.stop();
        current = null;
        await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  };
  const kept = keepGoing();
  return {
    async stop() {
      stopping.abort();
      await current?.stop();
      await kept;
      await current?.stop();
    },
  };
}

function warnOfDeath(error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  warn(`the worker stopped unexpectedly and is restarted (${why.slice(0, 200)})`);
}
