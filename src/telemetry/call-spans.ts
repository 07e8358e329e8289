/**
 * Spans of calls from this process to Temporal: starts, signals and cancellations. A call for an item is a child of the
 * activity that makes it; the start of a campaign begins the campaign's own trace. Nothing is added to the call, so
 * that histories are the same with and without traces.
 */
import { SpanKind, trace } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/sdk-trace-base';
import type { WorkflowStartInput, WorkflowStartOutput } from '@temporalio/client';
import type { CallTracer } from '../temporal/traced-calls.ts';
import { givenSpan, rootOf } from './given-span.ts';
import { inClientSpan } from './in-client-span.ts';
import { isSampled, type Sampling } from './sampling.ts';
import { campaignTraceId } from './subject.ts';

export function callSpans(tracer: Tracer, sampling: Sampling): CallTracer {
  const idOf = ({ workflowId }: { readonly workflowId?: string | null }): string =>
    workflowId ?? '';
  return {
    startWithDetails(input, next) {
      const { workflowType, options } = input;
      const run = (): Promise<WorkflowStartOutput> => next(input);
      if (workflowType === 'campaign') return startCampaign(tracer, sampling, input, run);
      const call = { name: `StartWorkflow:${workflowType}`, workflowId: options.workflowId };
      return traced(tracer, call, run);
    },
    signal(input, next) {
      const { signalName, workflowExecution } = input;
      const call = { name: `SignalWorkflow:${signalName}`, workflowId: idOf(workflowExecution) };
      return traced(tracer, call, () => next(input));
    },
    signalWithStart(input, next) {
      const { workflowType, options } = input;
      const name = `SignalWithStartWorkflow:${workflowType}`;
      return traced(tracer, { name, workflowId: options.workflowId }, () => next(input));
    },
    cancel(input, next) {
      const workflowId = idOf(input.workflowExecution);
      return traced(tracer, { name: 'CancelWorkflow', workflowId }, () => next(input));
    },
  };
}

interface Call {
  readonly name: string;
  readonly workflowId: string;
}

/** A child of the activity that makes the call; without an activity there is no trace that it belongs to. */
async function traced<T>(
  tracer: Tracer,
  { name, workflowId }: Call,
  run: () => Promise<T>,
): Promise<T> {
  if (!trace.getActiveSpan()) return run();
  const attributes = { 'hundredfold.workflow': workflowId };
  return inClientSpan(tracer, { name, attributes }, run);
}

/** The first span of the trace of a campaign, whose id follows only from the id of its run. */
async function startCampaign(
  tracer: Tracer,
  sampling: Sampling,
  { workflowType, options: { workflowId } }: WorkflowStartInput,
  run: () => Promise<WorkflowStartOutput>,
): Promise<WorkflowStartOutput> {
  const startTime = new Date();
  const started = await run();
  const traceId = campaignTraceId(workflowId, started.runId);
  if (!isSampled(traceId, sampling)) return started;
  const name = `StartWorkflow:${workflowType}`;
  const context = rootOf(traceId);
  const span = givenSpan(tracer, { name, context, parent: null, startTime, kind: SpanKind.CLIENT });
  span.setAttribute('hundredfold.workflow', workflowId);
  span.end();
  return started;
}
