/**
 * The SDK's workers of one process: which task queues it polls, and with what. They start and stop together.
 *
 * With the embedded server one worker does everything. For a shared Temporal, activities that need a token have
 * separate task queues, because workers with other tokens could not run them; so has publication, which reads whole
 * trees.
 */
import {
  Worker,
  type ActivityInterceptorsFactory,
  type NativeConnection,
  type WorkerOptions,
} from '@temporalio/worker';
import type { ServiceReference } from '../domain/campaign.ts';
import { fetchTaskQueue, publishTaskQueue, submitTaskQueue } from '../workflows/names.ts';
import type { Activities } from '../workflows/activity-types.ts';
import type { Build } from './build.ts';
import { workflowBundle } from './bundle.ts';
import { dataConverterOf } from './codec.ts';
import type { Role } from './roles.ts';

interface WorkersOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** Encrypts payloads; null: nothing. */
  readonly codec: string | null;
  readonly taskQueue: string;
  /** Its identity in Temporal. */
  readonly identity: string;
  /** Around every activity. */
  readonly interceptors: ActivityInterceptorsFactory[];
  /** null: it only answers queries of workflows. */
  readonly activities: Activities | null;
  /** Those for which it has a token. */
  readonly references: readonly ServiceReference[];
  /** Worker versioning (docs/operations.md); null: none. */
  readonly build: Build | null;
  /** null if all workers belong to one user: then each does everything. */
  readonly roles: readonly Role[] | null;
}

interface RunningWorkers {
  /** Rejects when one of them ends because of an error. */
  readonly ended: Promise<void>;
  /** Finishes running work, and accepts no new work. May be called repeatedly. */
  stop(): Promise<void>;
}

export function runTogether(workers: readonly Worker[]): RunningWorkers {
  const runs = workers.map((worker) => worker.run());
  const ended = Promise.all(runs).then(() => undefined);
  ended.catch(() => undefined);
  return {
    ended,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      // `ended` reports why a worker ended by itself.
      await Promise.allSettled(runs);
    },
  };
}

/**
 * A POST has a deadline of 30 s; a stopping worker waits that long, because the fate of an aborted POST is unknown
 * (Temporal's default of 0 aborts it immediately).
 */
const GRACE = '35s';
/** A hung activity would block the shutdown forever (sdk-typescript #2266). */
const FORCE = '42s';

/**
 * How long a workflow's code may run without a pause. The default of 5 s is too short for a busy machine. The types of the
 * SDK omit the option (1.24.0).
 */
const NOT_IN_THE_TYPES = { isolateExecutionTimeout: '10 minutes' };

function everyWorker(options: WorkersOptions) {
  const { connection, namespace, identity, interceptors } = options;
  return {
    connection,
    namespace,
    identity,
    dataConverter: dataConverterOf(options.codec),
    ...versioning(options),
    interceptors: { activity: interceptors },
    shutdownGraceTime: GRACE,
    shutdownForceTime: FORCE,
    ...NOT_IN_THE_TYPES,
    // The default, 80 % of a heartbeat time-out, is too long on a busy machine: a live POST would count as dead.
    maxHeartbeatThrottleInterval: '1s',
  } as const;
}

/** Jobs that wait to be polled again must leave room for submissions and downloads. */
const ACTIVITIES_AT_ONCE = 200;
/** A publication reads a whole tree. */
const PUBLICATIONS_AT_ONCE = 2;

export async function createWorkers(options: WorkersOptions): Promise<Worker[]> {
  const { roles, activities } = options;
  if (roles === null || activities === null) return [await createMain(options)];
  const does = (role: Role): boolean => roles.includes(role);
  return Promise.all([
    ...(does('workflows') ? [createMain(options)] : []),
    ...(does('submit') ? createSubmitters(options, activities) : []),
    ...(does('fetch') ? createFetchers(options, activities) : []),
    ...(does('publish') ? [createPublisher(options, activities)] : []),
  ]);
}

/**
 * Runs stay on the version that they started on, and their tasks on other task queues go to the same one. Campaigns and
 * budgets move when they continue as new (src/workflows/upgrade.ts); items end on the version they started on.
 */
function versioning({ build }: WorkersOptions): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (build === null) return {};
  return {
    workerDeploymentOptions: {
      version: { deploymentName: build.deployment, buildId: build.id },
      useWorkerVersioning: true,
      defaultVersioningBehavior: 'PINNED',
    },
  };
}

/** With all activities. */
async function createMain(options: WorkersOptions): Promise<Worker> {
  const { taskQueue, activities } = options;
  const common = everyWorker(options);
  return Worker.create({
    ...common,
    taskQueue,
    // With a codec the workflow code converts failures differently, which needs another bundle.
    workflowBundle:
      options.build?.bundle ?? (await workflowBundle(common.dataConverter.failureConverterPath)),
    ...(activities && { activities }),
    // After a crash the default waits 10 s for the dead worker; 1 s expires too early on a busy machine.
    stickyQueueScheduleToStartTimeout: '3s',
    maxCachedWorkflows: 1_000,
    maxConcurrentActivityTaskExecutions: ACTIVITIES_AT_ONCE,
    // All files of a job are fetched concurrently: none of them needs to go through the task queue.
    maxEagerActivityReservationsPerWorkflowTask: 8,
  });
}

function createSubmitters(options: WorkersOptions, activities: Activities): Promise<Worker>[] {
  const named = pick(activities, ['submit']);
  return options.references.map((reference) =>
    createFor(options, submitTaskQueue(reference), named, ACTIVITIES_AT_ONCE),
  );
}

function createFetchers(options: WorkersOptions, activities: Activities): Promise<Worker>[] {
  const named = pick(activities, [
    ...(['find', 'finishJob', 'keepFailed', 'ensureBudget'] as const),
  ]);
  return options.references.map((reference) =>
    createFor(options, fetchTaskQueue(reference), named, ACTIVITIES_AT_ONCE),
  );
}

function createPublisher(options: WorkersOptions, activities: Activities): Promise<Worker> {
  const queue = publishTaskQueue(options.taskQueue);
  return createFor(options, queue, pick(activities, ['publish']), PUBLICATIONS_AT_ONCE);
}

function createFor(
  options: WorkersOptions,
  taskQueue: string,
  activities: Partial<Activities>,
  atOnce: number,
): Promise<Worker> {
  return Worker.create({
    ...everyWorker(options),
    taskQueue,
    activities,
    maxConcurrentActivityTaskExecutions: atOnce,
  });
}

function pick(activities: Activities, names: readonly (keyof Activities)[]): Partial<Activities> {
  const all = Object.entries(activities) as [keyof Activities, unknown][];
  return Object.fromEntries(all.filter(([name]) => names.includes(name)));
}
