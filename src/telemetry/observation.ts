/** Metrics, traces and logs of a worker. Every part may be absent: then nothing is measured or slower. */
import type { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { ActivityInterceptors, ActivityInterceptorsFactory, Worker } from '@temporalio/worker';
import type { ServiceName } from '../domain/item.ts';
import type { ServiceClient } from '../services/client.ts';
import type { Store } from '../store/store.ts';
import type { ItemConclusion, RemoteJob } from '../workflows/activity-types.ts';
import { subjectFields } from './log-line.ts';
import type { WorkerMetrics } from './metrics.ts';
import { observedClient } from './observed-client.ts';
import { observedStore } from './observed-store.ts';
import { itemEndOf, subjectOfActivity, type Subject } from './subject.ts';
import type { Tracing } from './spans.ts';

export interface Observation {
  readonly metrics?: WorkerMetrics;
  /** null or absent: no traces. */
  readonly tracing?: Tracing | null;
  /** Called with the SDK's workers at each start, before they run. */
  readonly follow?: (...workers: readonly Worker[]) => void;
}

export function observeClient(
  { metrics, tracing }: Observation,
  service: ServiceName,
  client: ServiceClient,
): ServiceClient {
  if (!metrics && !tracing) return client;
  return observedClient(service, client, { metrics, tracing: tracing ?? undefined });
}

export function observeStore({ metrics }: Observation, store: Store): Store {
  return metrics ? observedStore(store, metrics) : store;
}

/** For `interceptors` of every worker that runs activities. */
export function activityInterceptors(
  { metrics, tracing }: Observation,
  client: Client,
): ActivityInterceptorsFactory[] {
  return [
    (context) => named(context),
    ...(tracing ? [tracing.activities(client)] : []),
    (context) => measured(context, metrics),
  ];
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
