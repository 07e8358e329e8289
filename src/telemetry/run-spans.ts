/** Spans of the runs of campaigns and items, as reported by workflow code (src/workflows/run-ends.ts). */
import { createHash } from 'node:crypto';
import { SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/sdk-trace-base';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { EndedRun } from '../workflows/run-ends.ts';
import { givenSpan, rootOf } from './given-span.ts';
import { subjectFields } from './log-line.ts';
import { isSampled, type Sampling } from './sampling.ts';
import { campaignTraceId, subjectOfWorkflow, traceIdOf } from './subject.ts';

export function runSpans(tracer: Tracer, sampling: Sampling) {
  return (info: WorkflowInfo, { begunAt, endedAt, outcome, item }: EndedRun): void => {
    const { workflowId, runId, workflowType, firstExecutionRunId, runStartTime } = info;
    const traceId =
      item === null
        ? campaignTraceId(workflowId, firstExecutionRunId)
        : traceIdOf(workflowId, item);
    if (!isSampled(traceId, sampling)) return;
    // A repeated workflow task produces the same span again, not a second one.
    const spanId = createHash('sha256').update(runId).digest('hex').slice(0, 16);
    const span = givenSpan(tracer, {
      name: `RunWorkflow:${workflowType}`,
      context: { traceId, spanId, traceFlags: TraceFlags.SAMPLED },
      parent: rootOf(traceId),
      startTime: runStartTime,
    });
    const subject = subjectFields(subjectOfWorkflow({ workflowId, runId }));
    for (const [key, value] of Object.entries(subject))
      span.setAttribute(`hundredfold.${key}`, value);
    span.setAttributes({ 'hundredfold.run': runId, 'hundredfold.outcome': outcome });
    // Before this event, the run was waiting for a worker.
    span.addEvent('first workflow task', begunAt);
    const isGood = outcome === 'completed' || outcome === 'continuedAsNew';
    span.setStatus({ code: isGood ? SpanStatusCode.OK : SpanStatusCode.ERROR });
    span.end(Math.max(endedAt, runStartTime.getTime()));
  };
}
