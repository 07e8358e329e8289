/** A collector for OpenTelemetry: receives traces by OTLP over HTTP as JSON, as `POST /v1/traces`, and keeps them. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

/**
 * opentelemetry-proto, `ExportTraceServiceRequest`: the part that we use. Ids are hexadecimal, times are nanoseconds.
 */
const attribute = z.object({
  key: z.string(),
  value: z.object({
    stringValue: z.string().optional(),
    intValue: z.coerce.number().optional(),
    boolValue: z.boolean().optional(),
  }),
});
const span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: z.array(attribute),
});
const body = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
});

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  /** ms since the epoch */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

export class Collector {
  readonly spans: CollectedSpan[] = [];
  /** As received. */
  readonly bodies: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  url = '';

  static async open(): Promise<Collector> {
    const collector = new Collector();
    const server = createServer((request, response) => {
      collector.headers.push(request.headers);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const isTrace = request.method === 'POST' && request.url === '/v1/traces';
        if (isTrace) collector.take(Buffer.concat(chunks).toString());
        response.writeHead(isTrace ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
    });
    collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return collector;
  }

  take(text: string): void {
    this.bodies.push(text);
    for (const { resource, scopeSpans } of body.parse(JSON.parse(text)).resourceSpans) {
      for (const one of scopeSpans.flatMap(({ spans }) => spans)) {
        this.spans.push({
          traceId: one.traceId,
          spanId: one.spanId,
          name: one.name,
          parentSpanId: one.parentSpanId ?? null,
          startedAt: Number(BigInt(one.startTimeUnixNano) / 1_000_000n),
          endedAt: Number(BigInt(one.endTimeUnixNano) / 1_000_000n),
          attributes: valuesOf(one.attributes),
          resource: valuesOf(resource.attributes),
        });
      }
    }
  }
}

function valuesOf(attributes: readonly z.infer<typeof attribute>[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.intValue ?? value.boolValue,
    ]),
  );
}
