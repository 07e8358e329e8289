/**
 * Traces by OpenTelemetry. The id of an item's trace is derived from the item (`traceIdOf`), so that every process can
 * compute it: the submission, which runs in the workflow of a budget, is in the same trace as polls and downloads,
 * without a header in signals and histories. Workflow code makes no spans: it reports the ends of its runs to the
 * worker (run-spans.ts), so histories are the same with and without traces, and replay emits nothing.
 *
 * Rejected: OpenTelemetry's interceptors for workflows, which add promises to their code and headers to histories, and
 * a second workflow bundle for workers that trace.
 */
import {
  context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type SpanContext,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { envDetectorSync, Resource } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type Tracer,
} from '@opentelemetry/sdk-trace-base';
import type { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { ActivityInterceptors } from '@temporalio/worker';
import type { Environment } from '../domain/environment.ts';
import type { ItemEnd } from '../domain/campaign.ts';
import { traceCalls } from '../temporal/traced-calls.ts';
import { programVersion } from '../program/files.ts';
import type { ItemConclusion, RemoteJob } from '../workflows/activity-types.ts';
import { callSpans } from './call-spans.ts';
import { givenSpan, rootOf } from './given-span.ts';
import { inClientSpan } from './in-client-span.ts';
import { subjectFields } from './log-line.ts';
import { statusInSpans, withStatus } from './otel-status.ts';
import { runSpans } from './run-spans.ts';
import { isSampled, type Sampling } from './sampling.ts';
import { itemEndOf, subjectOfActivity, type Subject } from './subject.ts';
import type { TracedCall, Tracing } from './spans.ts';
import { workerLog } from './runtime.ts';

const FLUSH_MS = 5_000;

export function startTracing(environment: Environment): Tracing {
  const standard = { 'service.name': 'hundredfold-worker', 'service.version': programVersion() };
  const resource = new Resource(standard).merge(envDetectorSync.detect());
  const exporter = new BatchSpanProcessor(new OTLPTraceExporter(collectorIn(environment)));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [exporter] });
  provider.register({ contextManager: new AsyncLocalStorageContextManager().enable() });
  statusInSpans();
  logOnce();
  const tracer = provider.getTracer('hundredfold', programVersion());
  const sampling: Sampling = {
    sampler: environment['OTEL_TRACES_SAMPLER'],
    argument: environment['OTEL_TRACES_SAMPLER_ARG'],
  };
  traceCalls(callSpans(tracer, sampling));
  return {
    runs: runSpans(tracer, sampling),
    activities: (client) => (at) => traced(at, { tracer, sampling, client }),
    request: (call) => request(tracer, call),
    async flush() {
      const late = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
      await Promise.race([provider.forceFlush().catch(() => undefined), late]);
    },
  };
}

/** The exporter reads the address, headers and time-out from `process.env`; the library may have another environment. */
function collectorIn(environment: Environment): { readonly url?: string } {
  if (environment === process.env) return {};
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces, OTEL_EXPORTER_OTLP_ENDPOINT: all = '' } =
    environment;
  return { url: traces || `${all.replace(/\/$/, '')}/v1/traces` };
}

interface Ways {
  readonly tracer: Tracer;
  readonly sampling: Sampling;
  readonly client: Client;
}

function traced(at: Context, { tracer, sampling, client }: Ways): ActivityInterceptors {
  const { activityType, workflowExecution } = at.info;
  if (!workflowExecution) return {};
  const inner = new OpenTelemetryActivityInboundInterceptor(at, { tracer });
  return {
    inbound: {
      async execute(input, next) {
        const subject = subjectOfActivity(activityType, input.args, workflowExecution);
        const item = spanOfItem(subject, sampling);
        // Campaigns and budgets live for days: only activities of an item are traced.
        if (!item) return next(input);
        const result = await context.with(trace.setSpanContext(ROOT_CONTEXT, item), () =>
          inner.execute(input, (given) => {
            trace.getActiveSpan()?.setAttributes(attributesOf(subject));
            return next(given);
          }),
        );
        const end = itemEndOf(activityType, result);
        const sentAt = sentAtIn(input.args[0]);
        if (end !== null) await endItem(tracer, client, { item, subject, end, sentAt });
        return result;
      },
    },
  };
}

/** Null if the item is not sampled, or if there is no item. */
function spanOfItem({ traceId }: Subject, sampling: Sampling): SpanContext | null {
  if (traceId === undefined || !isSampled(traceId, sampling)) return null;
  return rootOf(traceId);
}

interface EndedItem {
  readonly item: SpanContext;
  readonly subject: Subject;
  readonly end: ItemEnd;
  /** Of its POST; null when unknown. */
  readonly sentAt: Date | null;
}

/** From the argument of `finishJob` and `conclude`. */
function sentAtIn(argument: unknown): Date | null {
  const { times, sentAt = times?.sentAt } = argument as Partial<RemoteJob & ItemConclusion>;
  return sentAt === undefined ? null : new Date(sentAt);
}

/** The span of the whole item, the ancestor of all others: it is recorded when the end is known. */
async function endItem(
  tracer: Tracer,
  client: Client,
  { item, subject, end, sentAt }: EndedItem,
): Promise<void> {
  try {
    const handle = client.workflow.getHandle(subject.item ?? '', subject.run);
    // Its workflow begins with the answer to the POST.
    const startTime = sentAt ?? (await handle.describe()).startTime;
    const span = givenSpan(tracer, { name: 'Item', context: item, parent: null, startTime });
    const { state, code } = end;
    span.setAttributes({ ...attributesOf(subject), 'hundredfold.state': state });
    if (code !== null) span.setAttribute('hundredfold.code', code);
    const isGood = state === 'succeeded';
    span.setStatus({
      code: isGood ? SpanStatusCode.OK : SpanStatusCode.ERROR,
      ...(code !== null && { message: code }),
    });
    span.end();
  } catch (error) {
    // The item has ended nevertheless.
    workerLog().debug('the span of an item was not recorded', { error });
  }
}

/** No body, no query, no header: only the target, the duration and the outcome. */
async function request<O>(
  tracer: Tracer,
  { service, operation, run, outcomeOf }: TracedCall<O>,
): Promise<O> {
  if (!trace.getActiveSpan()) return run(() => undefined);
  const name = operation === 'submit' ? `POST ${service}` : `${operation} ${service}`;
  const attributes = { 'hundredfold.service': service, 'hundredfold.operation': operation };
  return inClientSpan(tracer, { name, attributes }, async (span) => {
    const result = await withStatus(span, () => run(() => span.addEvent('sent')));
    span.setAttribute('hundredfold.outcome', outcomeOf(result));
    return result;
  });
}

function attributesOf(subject: Subject): Record<string, string> {
  const { campaign, item, service } = subjectFields(subject);
  const named = { campaign, item, service };
  return Object.fromEntries(
    Object.entries(named).flatMap(([key, value]) =>
      value === undefined ? [] : [[`hundredfold.${key}`, value]],
    ),
  );
}

/** An unreachable collector must not fill the log: only the first failure is logged. */
function logOnce(): void {
  let isLogged = false;
  const ignore = (): void => undefined;
  const error = (message: string): void => {
    if (isLogged) return;
    isLogged = true;
    workerLog().warn('traces were not delivered; this is logged only once', { error: message });
  };
  const logger = { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, DiagLogLevel.ERROR);
}
