/** Metrics and logs of a worker. Every part may be absent: then nothing is measured or slower. */
import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors, ActivityInterceptorsFactory, Worker } from '@temporalio/worker';
import type { ServiceName } from '../domain/item.ts';
import type { ServiceClient } from '../services/client.ts';
import type { Store, StagedFile } from '../store/store.ts';
import type { ItemConclusion, RemoteJob } from '../workflows/activity-types.ts';
import { subjectFields } from './log-line.ts';
import type { WorkerMetrics, ServiceCall } from './metrics.ts';
import { itemEndOf, subjectOfActivity, type Subject } from './subject.ts';
import { StoreError } from '../store/store-error.ts';

export interface Observation {
  readonly metrics?: WorkerMetrics;
  /** Called with the SDK's workers at each start, before they run. */
  readonly follow?: (...workers: readonly Worker[]) => void;
}

export function observeClient(
  { metrics }: Observation,
  service: ServiceName,
  client: ServiceClient,
): ServiceClient {
  return metrics ? observedClient(service, client, metrics) : client;
}

export function observeStore({ metrics }: Observation, store: Store): Store {
  return metrics ? observedStore(store, metrics) : store;
}

/** For `interceptors` of every worker that runs activities. */
export function activityInterceptors({ metrics }: Observation): ActivityInterceptorsFactory[] {
  return [(context) => named(context), (context) => measured(context, metrics)];
}

/** Adds campaign, item and service to the log entries of an activity, even if its workflow is a budget. */
function named({ info }: Context): ActivityInterceptors {
  let subject: Subject = {};
  return {
    inbound: {
      execute(input, next) {
        const { activityType, workflowExecution } = info;
        if (workflowExecution)
          subject = subjectOfActivity(activityType, input.args, workflowExecution);
        return next(input);
      },
    },
    outbound: {
      getLogAttributes: (input, next) => next({ ...input, ...subjectFields(subject) }),
    },
  };
}

/** Measures ends of items and publications, as reported by their activities. */
function measured(
  { info: { activityType }, log }: Context,
  metrics: WorkerMetrics | undefined,
): ActivityInterceptors {
  if (activityType === 'conclude' || activityType === 'finishJob') {
    return {
      inbound: {
        async execute(input, next) {
          const result = await next(input);
          const end = itemEndOf(activityType, result);
          if (end === null) return result;
          const { item } = input.args[0] as ItemConclusion | RemoteJob;
          const { state, code } = end;
          metrics?.itemEnded(item.kind, end);
          log.info('item ended', { kind: item.kind, state, ...(code !== null && { code }) });
          return result;
        },
      },
    };
  }
  if (activityType !== 'publish' || !metrics) return {};
  return {
    inbound: {
      async execute(input, next) {
        try {
          const published = await next(input);
          metrics.published('ok');
          return published;
        } catch (error) {
          metrics.published('failed');
          throw error;
        }
      },
    },
  };
}

type Operation = ServiceCall['operation'];

/** Wraps the bare client, inside the code that makes requests wait for their turn (src/services/polling.ts). */
function observedClient(
  service: ServiceName,
  client: ServiceClient,
  metrics: WorkerMetrics,
): ServiceClient {
  const timed = async <O extends { readonly type: string }>(
    operation: Operation,
    call: () => Promise<O>,
  ): Promise<O> => {
    const began = performance.now();
    const note = (outcome: string): void => {
      const seconds = (performance.now() - began) / 1_000;
      metrics.serviceCall({ service, operation, outcome, seconds });
    };
    try {
      const outcome = await call();
      note(outcomeOf(outcome));
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
function outcomeOf(outcome: { readonly type: string; readonly reason?: string }): string {
  return outcome.type === 'notNow' ? (outcome.reason ?? '') : outcome.type;
}

const MEASURED = [
  ...(['write', 'stage', 'create', 'flush', 'adopt', 'remove'] as const),
  ...(['read', 'readText', 'digest', 'exists'] as const),
] as const;

type Measured = (typeof MEASURED)[number];
type Call = (this: Store, ...args: unknown[]) => Promise<unknown>;

/** The store behind a measured one: `adopt` is more efficient between stores of the same type. */
const BEHIND = new WeakMap<object, Store>();

function observedStore(store: Store, metrics: WorkerMetrics): Store {
  const observed = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const call = value as Call;
      if (!isMeasured(name)) return call.bind(target);
      return async (...args: unknown[]) => {
        const result = await timed(metrics, name, () => call.apply(target, args.map(behind)));
        return name === 'stage' ? observedFile(result as StagedFile, metrics) : result;
      };
    },
  });
  BEHIND.set(observed, store);
  return observed;
}

function observedFile(staged: StagedFile, metrics: WorkerMetrics): StagedFile {
  return {
    create: () => timed(metrics, 'create', () => staged.create()),
    discard: () => staged.discard(),
  };
}

function isMeasured(name: string | symbol): name is Measured {
  return (MEASURED as readonly (string | symbol)[]).includes(name);
}

function behind(arg: unknown): unknown {
  return typeof arg === 'object' && arg !== null ? (BEHIND.get(arg) ?? arg) : arg;
}

async function timed<T>(
  metrics: WorkerMetrics,
  operation: Measured,
  call: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  const note = (outcome: string): void =>
    metrics.storeCall(operation, outcome, (performance.now() - began) / 1_000);
  try {
    const result = await call();
    note('ok');
    return result;
  } catch (error) {
    // An error of the sender of the data, or an abort, is not an error of the store.
    if (error instanceof StoreError) note(error.code);
    throw error;
  }
}
