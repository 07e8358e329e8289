/** The interface of tracing, without importing OpenTelemetry: it is loaded only if traces are wanted (tracing.ts). */
import type { Client } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { RunListener } from '../temporal/workers.ts';

export interface Tracing {
  /** Spans of the activities of items, and of each item at its end. */
  activities(client: Client): ActivityInterceptorsFactory;
  /** Spans of the runs of campaigns and items. */
  readonly runs: RunListener;
  /** A span around a request to a service, a child of the activity that makes it. */
  request<O>(call: TracedCall<O>): Promise<O>;
  /** Sends recorded spans; never rejects, and takes at most 5 s. */
  flush(): Promise<void>;
}

export interface TracedCall<O> {
  readonly service: string;
  readonly operation: string;
  /** @param sent call it just before the first byte is written */
  readonly run: (sent: () => void) => Promise<O>;
  readonly outcomeOf: (result: O) => string;
}
