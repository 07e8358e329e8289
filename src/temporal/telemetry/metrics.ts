/**
 * What a worker measures and logs: around its activities, and around the clients of its services. Its work is counted as it
 * happens, on the page of the SDK's own metrics, whose runtime is installed here; the state of budgets, task queues and
 * items is read from Temporal (operations.ts). Labels have few values: services, states, codes; never an item, a campaign or
 * a token.
 */
import type { Context } from '@temporalio/activity';
import {
  ApplicationFailure,
  type MetricCounter,
  type MetricGauge,
  type MetricHistogram,
  type MetricMeter,
} from '@temporalio/common';
import {
  type ActivityInterceptors,
  type ActivityInterceptorsFactory,
  type Worker,
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  type Logger,
} from '@temporalio/worker';
import type { ItemEnd, ServiceReference, Kind, ServiceName } from '../../domain/campaign.ts';
import type { ItemEndCode } from '../../domain/item-ends.ts';
import { listKindNames } from '../../kinds/registry.ts';
import { readProgramVersion } from '../../program.ts';
import type { ServiceClient } from '../../services/client.ts';
import type {
  ItemConclusion,
  JobFinish,
  RemoteJob,
  SubmitRequest,
} from '../../workflows/activity-types.ts';
import { parseWorkflowSubject, type Subject, logLine, logTarget } from './log.ts';

/** Codes of items that end as held. */
const HELD = ['SUBMIT_UNSURE', 'SUBMIT_TAKEN', 'JOB_UNREADABLE'] satisfies ItemEndCode[];
const STORE_ERRORS = [
  'STORE_FULL',
  'STORE_ACCESS_DENIED',
  'STORE_BUSY',
  'STORE_IO',
  'TREE_NOT_HERE',
];

/** Codes are a closed set (src/domain/errors.ts); any other text must not create a time series. */
const CODE = /^[A-Z][A-Z0-9_]{1,40}$/;

interface ServiceCall {
  readonly service: string;
  readonly operation: 'submit' | 'poll' | 'fetch' | 'find' | 'list' | 'ping';
  readonly outcome: string;
  readonly seconds: number;
}

/** In seconds, for the exporter of the SDK's runtime; a service answers within 30. */
const HISTOGRAM_BUCKETS = {
  hundredfold_service_request_duration: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
};

/** The exporter adds the unit to the name of a histogram, and `_total` to that of a counter. */
export class WorkerMetrics {
  readonly #requests: MetricHistogram;
  readonly #storeErrors: MetricCounter;
  readonly #ended: MetricCounter;
  readonly #publications: MetricCounter;
  readonly #ready: MetricGauge;

  constructor(meter: MetricMeter) {
    const counter = (name: string, help: string) => meter.createCounter(name, '', help);
    const gauge = (name: string, help: string) => meter.createGauge(name, 'float', '', help);
    this.#requests = meter.createHistogram(
      'hundredfold_service_request_duration',
      'float',
      'seconds',
      'Requests to a service, from the first byte to the end of the headers or, for small answers, of the body, by what came of them; operation="submit" is the POST of a job',
    );
    this.#storeErrors = counter(
      'hundredfold_store_errors',
      'Activities that could not read or write the output tree, by error code',
    );
    this.#ended = counter(
      'hundredfold_items_ended',
      'Items whose end this worker has recorded, by kind, state and error code (empty for succeeded)',
    );
    this.#publications = counter(
      'hundredfold_publications',
      'Tries to publish a campaign (tables, summary, checksums), by outcome: ok or failed',
    );
    this.#ready = gauge(
      'hundredfold_worker_ready',
      '1 while the worker polls its task queues, 0 before, while it drains, and while Temporal is away',
    );
    const versions = { version: readProgramVersion(), node: process.version };
    gauge('hundredfold_build_info', '1; the labels say what runs').set(1, versions);
    // A series without an initial 0 begins with its first event, which is no increase and raises no alert.
    for (const outcome of ['ok', 'failed']) this.#publications.add(0, { outcome });
    for (const code of STORE_ERRORS) this.#storeErrors.add(0, { code });
    for (const kind of listKindNames())
      for (const code of HELD) this.#ended.add(0, { kind, state: 'held', code });
  }

  serviceCall({ service, operation, outcome, seconds }: ServiceCall): void {
    this.#requests.record(seconds, { service, operation, outcome });
  }

  /** @param code of the error that an activity failed with; those of other errors are not counted */
  activityFailed(code: string): void {
    if (/^(STORE|TREE)_/.test(code)) this.#storeErrors.add(1, { code: toKnownCode(code) });
  }

  itemEnded(kind: Kind, { state, code }: ItemEnd): void {
    this.#ended.add(1, { kind, state, code: code === null ? '' : toKnownCode(code) });
  }

  published(outcome: 'ok' | 'failed'): void {
    this.#publications.add(1, { outcome });
  }

  ready(isReady: boolean): void {
    this.#ready.set(isReady ? 1 : 0);
  }
}

function toKnownCode(code: string): string {
  return CODE.test(code) ? code : 'OTHER';
}

/** All parts are optional; without them nothing is measured, at no cost. */
export interface Observation {
  readonly metrics?: WorkerMetrics;
  /** Called with the SDK's workers at each start, before they run. */
  readonly follow?: (...workers: readonly Worker[]) => void;
}

/**
 * For `interceptors` of every worker that runs activities: their log entries have campaign, item and service, even if their
 * workflow is a budget; ends of items, publications and errors of the store are counted as they report them.
 */
export function createActivityInterceptors({
  metrics,
}: Observation): ActivityInterceptorsFactory[] {
  return [(context) => observeActivity(context, metrics)];
}

function observeActivity(
  { info, log }: Context,
  metrics: WorkerMetrics | undefined,
): ActivityInterceptors {
  const { activityType } = info;
  let subject: Subject = {};
  return {
    outbound: {
      getLogAttributes: (input, next) => next({ ...input, ...subject }),
    },
    inbound: {
      async execute(input, next) {
        subject = findActivitySubject(info, input.args);
        try {
          const result: unknown = await next(input);
          const end = findItemEnd(activityType, result);
          if (activityType === 'publish') metrics?.published('ok');
          if (end === null) return result;
          const { item } = input.args[0] as ItemConclusion | RemoteJob;
          const { state, code } = end;
          metrics?.itemEnded(item.kind, end);
          log.info('item ended', { kind: item.kind, state, ...(code !== null && { code }) });
          return result;
        } catch (error) {
          if (activityType === 'publish') metrics?.published('failed');
          if (error instanceof ApplicationFailure) metrics?.activityFailed(error.type ?? '');
          throw error;
        }
      },
    },
  };
}

/** A submission runs in the workflow of a budget, and names its item in its argument. */
function findActivitySubject(
  { activityType, workflowExecution }: Context['info'],
  args: readonly unknown[],
): Subject {
  const ofWorkflow = workflowExecution ? parseWorkflowSubject(workflowExecution.workflowId) : {};
  const service = findServiceName(args);
  const known = { ...ofWorkflow, ...(service !== null && { service }) };
  if (!['submit', 'settleSubmission'].includes(activityType)) return known;
  const { campaign, item } = args[0] as SubmitRequest;
  return { ...known, campaign, item };
}

/** Activities get a reference, or an object that contains one. */
function findServiceName(args: readonly unknown[]): string | null {
  for (const arg of args) {
    const { reference = arg } = (arg ?? {}) as { readonly reference?: unknown };
    const { service, credential } = (reference ?? {}) as Partial<ServiceReference>;
    if (typeof service === 'string' && typeof credential === 'string') return service;
  }
  return null;
}

/** The end that an activity has written for its item; null if it has written none. */
function findItemEnd(activity: string, result: unknown): ItemEnd | null {
  if (activity === 'conclude') return result as ItemEnd;
  if (activity !== 'finishJob') return null;
  const finish = result as JobFinish;
  return finish.type === 'ended' ? finish.end : null;
}

/** Wraps the bare client, inside the code that makes requests wait for their turn (src/services/polling.ts). */
export function observeClient(
  { metrics }: Observation,
  service: ServiceName,
  client: ServiceClient,
): ServiceClient {
  if (!metrics) return client;
  const timed = async <O extends { readonly type: string }>(
    operation: ServiceCall['operation'],
    call: () => Promise<O>,
  ): Promise<O> => {
    const began = performance.now();
    const note = (outcome: string): void => {
      const seconds = (performance.now() - began) / 1_000;
      metrics.serviceCall({ service, operation, outcome, seconds });
    };
    try {
      const outcome = await call();
      note(describeOutcome(outcome));
      return outcome;
    } catch (error) {
      note('error');
      throw error;
    }
  };
  return {
    ...client,
    submit: (job, options) => timed('submit', () => client.submit(job, options)),
    poll: (id, options) => timed('poll', () => client.poll(id, options)),
    fetch: (id, artefact, options) => timed('fetch', () => client.fetch(id, artefact, options)),
    find: (kind, name, options) => timed('find', () => client.find(kind, name, options)),
    list: (kind, options) => timed('list', () => client.list(kind, options)),
    ping: (options) => timed('ping', () => client.ping(options)),
  };
}

/** `accepted`, `running`, …, or why a job was not accepted now: `rate-limited`, `unavailable`, … */
function describeOutcome(outcome: { readonly type: string; readonly reason?: string }): string {
  return outcome.type === 'notNow' ? (outcome.reason ?? '') : outcome.type;
}

/* The runtime of the SDK: one per process, installed with the first worker */

/** An SDK warning about workers that only run activities, as those of a token do (src/temporal/workers.ts). */
const INTENDED = 'No workflows registered, not polling for workflow tasks';

/** An item that fails or is held fails its workflow: its end is on disk, and no fault of the worker. */
function isItemsEnd({ message, meta }: { message: string; meta?: unknown }): boolean {
  return (
    message === 'Workflow failed' && (meta as { workflowType?: string }).workflowType === 'item'
  );
}

/** At a Temporal that several hosts share, others see by it who works (src/temporal/namespace.ts). */
const HEARTBEAT = '1s';

let metricsAddress: string | null = null;
let installed = false;

/** Starts the runtime with its metrics at HOST:PORT; call it before the first worker. */
export function startRuntimeWithMetrics(address: string): MetricMeter {
  metricsAddress = address;
  startRuntime({ isShared: true });
  return Runtime.instance().metricMeter;
}

/**
 * Not before there is a worker: the runtime wakes several times per second for the log, even in a command without one.
 * @param isShared whether its Temporal is not the embedded one
 */
export function startRuntime({ isShared }: { readonly isShared: boolean }): void {
  const target = logTarget();
  if (installed || target === null) return;
  installed = true;
  const { write, level, format } = target;
  const logger = new DefaultLogger(level, (entry) => {
    if (entry.message !== INTENDED && !isItemsEnd(entry)) write(logLine(entry, format));
  });
  // The core writes its own log to stdout unless it is forwarded: stdout is for `--json` alone.
  const filter = makeTelemetryFilterString({ core: level, other: 'ERROR' });
  Runtime.install({
    logger,
    telemetryOptions: {
      logging: { filter, forward: {} },
      ...(metricsAddress !== null && {
        metrics: {
          prometheus: {
            bindAddress: metricsAddress,
            countersTotalSuffix: true,
            unitSuffix: true,
            useSecondsForDurations: true,
            histogramBucketOverrides: HISTOGRAM_BUCKETS,
          },
        },
      }),
    },
    shutdownSignals: [],
    ...(isShared && { workerHeartbeatInterval: HEARTBEAT }),
  });
}

/** The log of the worker; it exists as soon as `startRuntime` has run. */
export function readWorkerLog(): Logger {
  return Runtime.instance().logger;
}
