/** Adds the HTTP status to the span of a request, from undici's diagnostics: the clients do not expose it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { Span } from '@opentelemetry/api';

const current = new AsyncLocalStorage<Span>();
const spans = new WeakMap<object, Span>();

/** Requests made by `call` belong to the span. */
export function withStatus<T>(span: Span, call: () => Promise<T>): Promise<T> {
  return current.run(span, call);
}

/** Call it once per process. */
export function statusInSpans(): void {
  subscribe('undici:request:create', (message) => {
    const { request } = message as { readonly request: object };
    const span = current.getStore();
    if (span) spans.set(request, span);
  });
  subscribe('undici:request:headers', (message) => {
    const { request, response } = message as {
      readonly request: object;
      readonly response: { readonly statusCode: number };
    };
    spans.get(request)?.setAttribute('http.response.status_code', response.statusCode);
  });
}
