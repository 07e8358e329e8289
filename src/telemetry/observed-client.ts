/** A client of a service whose requests are measured: their duration and their outcome. */
import type { ServiceName } from '../domain/item.ts';
import type { SubmitOutcome } from '../domain/outcomes.ts';
import type { Job, ServiceClient, SubmitOptions } from '../services/client.ts';
import type { ServiceCall, WorkerMetrics } from './metrics.ts';
import type { Tracing } from './spans.ts';

type Operation = ServiceCall['operation'];

interface Observers {
  readonly metrics?: WorkerMetrics | undefined;
  readonly tracing?: Tracing | undefined;
}

/**
 * Wraps the bare client, inside the code that makes requests wait for their turn (src/services/manners.ts). A
 * submission that is not sent does not count as a request.
 */
export function observedClient(
  service: ServiceName,
  client: ServiceClient,
  { metrics, tracing }: Observers,
): ServiceClient {
  const trace = traceWith(tracing);
  const timed = async <O extends { readonly type: string }>(
    operation: Operation,
    call: () => Promise<O>,
  ): Promise<O> => {
    const began = performance.now();
    const note = (outcome: string): void => {
      const seconds = (performance.now() - began) / 1_000;
      metrics?.serviceCall({ service, operation, outcome, seconds });
    };
    try {
      const outcome = await trace({
        service,
        operation,
        run: call,
        outcomeOf: ({ type }: O) => type,
      });
      note(outcome.type);
      return outcome;
    } catch (error) {
      note('error');
      throw error;
    }
  };
  return {
    ...client,
    submit: (job, options) =>
      trace({
        service,
        operation: 'submit',
        outcomeOf,
        run: (sent) => submit({ service, client, metrics, sent }, job, options),
      }),
    poll: (id, options) => timed('poll', () => client.poll(id, options)),
    fetch: (id, artefact, options) => timed('fetch', () => client.fetch(id, artefact, options)),
    find: (kind, name, options) => timed('find', () => client.find(kind, name, options)),
    list: (kind, options) => timed('list', () => client.list(kind, options)),
    ping: (options) => timed('ping', () => client.ping(options)),
  };
}

interface Observed {
  readonly service: ServiceName;
  readonly client: ServiceClient;
  readonly metrics: WorkerMetrics | undefined;
  readonly sent: () => void;
}

function traceWith(tracing: Tracing | undefined): Tracing['request'] {
  return tracing ? (call) => tracing.request(call) : ({ run }) => run(() => undefined);
}

/** Measured from just before the first byte: waiting for a connection or a slot is no fault of the service. */
async function submit(
  { service, client, metrics, sent: noteSent }: Observed,
  job: Job,
  options: SubmitOptions,
): Promise<SubmitOutcome> {
  const called = performance.now();
  const sent: { at: number | null } = { at: null };
  const beforeSending = async (): Promise<boolean> => {
    const mayBeSent = (await options.beforeSending?.()) ?? true;
    if (mayBeSent) {
      sent.at = performance.now();
      noteSent();
    }
    return mayBeSent;
  };
  const outcome = await client.submit(job, { ...options, beforeSending });
  // If no connection was opened, nothing was sent, but the failure is counted.
  const isRequest =
    sent.at !== null || (outcome.type === 'notNow' && outcome.reason === 'unreachable');
  if (isRequest) {
    const seconds = (performance.now() - (sent.at ?? called)) / 1_000;
    metrics?.serviceCall({ service, operation: 'submit', outcome: outcomeOf(outcome), seconds });
  }
  return outcome;
}

/** `accepted`, `refused`, `unsure`, or why it was not accepted now: `rate-limited`, `unavailable`, … */
function outcomeOf(outcome: SubmitOutcome): string {
  return outcome.type === 'notNow' ? outcome.reason : outcome.type;
}
