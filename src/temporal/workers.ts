/**
 * The SDK's workers of one process: which task queues it polls, and with what. They start and stop together.
 *
 * With the embedded server one worker does everything. For a shared Temporal, activities that need a token have
 * separate task queues, because workers with other tokens could not run them; so has publication, which reads whole
 * trees.
 */
import {
  NativeConnection,
  Worker,
  type ActivityInterceptorsFactory,
  type NativeConnectionOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import type { ServiceReference } from '../domain/campaign.ts';
import {
  fetchTaskQueue,
  publishTaskQueue,
  submitTaskQueue,
  type Role,
} from '../workflows/names.ts';
import type { Activities } from '../workflows/activity-types.ts';
import { type Build, loadWorkflowBundle } from './bundle.ts';
import {
  explainFailure,
  buildSecurity,
  loadDataConverter,
  type TemporalAddress,
} from './connection.ts';

/**
 * The SDK warns of memos of more than 2 kB, which the status of a budget is with a few credentials; with fifty it has
 * 30 kB. The server refuses 2 MB.
 */
const payloadLimits = { memoWarnSize: 500_000 };

/** Throws TEMPORAL_* with the cause. */
export async function connectWorker(target: TemporalAddress): Promise<NativeConnection> {
  try {
    const secure = buildSecurity(target) satisfies NativeConnectionOptions;
    return await NativeConnection.connect({ ...secure, payloadLimits });
  } catch (cause) {
    throw await explainFailure(target, cause);
  }
}

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
  /** Worker versioning (docs/workers.md); null: none. */
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
 * A POST has a deadline of 30 s; a stopping worker waits that long, because the outcome of an aborted POST is unknown
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

function createWorkerOptions(options: WorkersOptions) {
  const { connection, namespace, identity, interceptors } = options;
  return {
    connection,
    namespace,
    identity,
    dataConverter: loadDataConverter(options.codec),
    ...buildVersioning(options),
    interceptors: { activity: interceptors },
    shutdownGraceTime: GRACE,
    shutdownForceTime: FORCE,
    ...NOT_IN_THE_TYPES,
    // The default, 80 % of a heartbeat time-out, is too long on a busy machine: a live POST would count as dead.
    maxHeartbeatThrottleInterval: '1s',
  } as const;
}

/** Jobs that wait to be polled again must leave room for submissions and downloads. */
const MAX_ACTIVITIES = 200;
/** A publication reads a whole tree. */
const MAX_PUBLICATIONS = 2;

/** The activities of each role but `workflows`, which has all of them. */
const ACTIVITIES: Readonly<Record<Exclude<Role, 'workflows'>, readonly string[]>> = {
  submit: ['submit'],
  fetch: ['settleSubmission', 'finishJob', 'ensureBudget'],
  publish: ['publish'],
} satisfies Record<string, (keyof Activities)[]>;

export async function createWorkers(options: WorkersOptions): Promise<Worker[]> {
  const { roles, activities, references, taskQueue } = options;
  if (roles === null || activities === null) return [await createMain(options)];
  const all = Object.entries(activities);
  const create = (role: keyof typeof ACTIVITIES, queue: string, atOnce: number): Promise<Worker> =>
    Worker.create({
      ...createWorkerOptions(options),
      taskQueue: queue,
      activities: Object.fromEntries(all.filter(([name]) => ACTIVITIES[role].includes(name))),
      maxConcurrentActivityTaskExecutions: atOnce,
    });
  const created: Readonly<Record<Role, () => Promise<Worker>[]>> = {
    workflows: () => [createMain(options)],
    submit: () => references.map((one) => create('submit', submitTaskQueue(one), MAX_ACTIVITIES)),
    fetch: () => references.map((one) => create('fetch', fetchTaskQueue(one), MAX_ACTIVITIES)),
    publish: () => [create('publish', publishTaskQueue(taskQueue), MAX_PUBLICATIONS)],
  };
  return Promise.all(roles.flatMap((role) => created[role]()));
}

/**
 * Runs stay on the version that they started on, and their tasks on other task queues go to the same one. Campaigns and
 * budgets move when they continue as new (src/workflows/activity-options.ts); items end on the version they started on.
 */
function buildVersioning({
  build,
}: WorkersOptions): Pick<WorkerOptions, 'workerDeploymentOptions'> {
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
  const common = createWorkerOptions(options);
  return Worker.create({
    ...common,
    taskQueue,
    // With a codec the workflow code converts failures differently, which needs another bundle.
    workflowBundle:
      options.build?.bundle ??
      (await loadWorkflowBundle(common.dataConverter.failureConverterPath)),
    ...(activities && { activities }),
    // After a crash the default waits 10 s for the dead worker; 1 s expires too early on a busy machine.
    stickyQueueScheduleToStartTimeout: '3s',
    maxCachedWorkflows: 1_000,
    maxConcurrentActivityTaskExecutions: MAX_ACTIVITIES,
    // All files of a job are fetched concurrently: none of them needs to go through the task queue.
    maxEagerActivityReservationsPerWorkflowTask: 8,
  });
}
