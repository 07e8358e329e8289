/** Spans whose ids follow from what they are about, so that several processes name the same one without talking. */
import { ROOT_CONTEXT, SpanKind, trace, TraceFlags, type SpanContext } from '@opentelemetry/api';
import { Span, type Tracer } from '@opentelemetry/sdk-trace-base';

/** The first span of a trace, which all others hang below. */
export function rootOf(traceId: string): SpanContext {
  return { traceId, spanId: traceId.slice(16), traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

export interface GivenSpan {
  readonly name: string;
  readonly context: SpanContext;
  /** null: it is the first of its trace. */
  readonly parent: SpanContext | null;
  readonly startTime: number | Date;
  readonly kind?: SpanKind;
}

/** The one way to a span of a given id: `startSpan` makes up its own. The package is pinned. */
export function givenSpan(
  tracer: Tracer,
  { name, context, parent, startTime, kind = SpanKind.INTERNAL }: GivenSpan,
): Span {
  const above = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const own = { ...context, isRemote: false };
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  return new Span(tracer, above, name, own, kind, parent?.spanId, [], startTime);
}
