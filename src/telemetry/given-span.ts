/** Spans whose ids are derived from their subject, so that several processes use the same one without communicating. */
import { ROOT_CONTEXT, SpanKind, trace, TraceFlags, type SpanContext } from '@opentelemetry/api';
import { Span, type Tracer } from '@opentelemetry/sdk-trace-base';

/** The first span of a trace, the ancestor of all others. */
export function rootOf(traceId: string): SpanContext {
  return { traceId, spanId: traceId.slice(16), traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

interface GivenSpan {
  readonly name: string;
  readonly context: SpanContext;
  /** null: this span is the first of its trace. */
  readonly parent: SpanContext | null;
  readonly startTime: number | Date;
  readonly kind?: SpanKind;
}

/** The only way to create a span with a given id: `startSpan` generates its own id. The package is pinned. */
export function givenSpan(
  tracer: Tracer,
  { name, context, parent, startTime, kind = SpanKind.INTERNAL }: GivenSpan,
): Span {
  const above = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const own = { ...context, isRemote: false };
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  return new Span(tracer, above, name, own, kind, parent?.spanId, [], startTime);
}
