/** A span around a call to another server. */
import { SpanKind, SpanStatusCode, type Attributes, type Span } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/sdk-trace-base';

/** A thrown error becomes the status of the span. */
export async function inClientSpan<T>(
  tracer: Tracer,
  { name, attributes }: { readonly name: string; readonly attributes: Attributes },
  run: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      return await run(span);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
