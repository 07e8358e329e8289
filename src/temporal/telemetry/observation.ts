/** What a worker measures and logs: around its activities, and around the clients of its services. */
import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors, ActivityInterceptorsFactory, Worker } from '@temporalio/worker';
import type { ItemEnd, ServiceReference } from '../../domain/campaign.ts';
import type { ServiceName } from '../../domain/item.ts';
import type { ServiceClient } from '../../services/client.ts';
import type {
  ItemConclusion,
  JobFinish,
  RemoteJob,
  SubmitRequest,
} from '../../workflows/activity-types.ts';
import { parseWorkflowSubject, type Subject } from './log.ts';
import type { ServiceCall, WorkerMetrics } from './metrics.ts';

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
