/** What is traced, without a word of OpenTelemetry: it is loaded only where traces are wanted (tracing.ts). */
import type { Client } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { RunListener } from '../temporal/workers.ts';

export interface Tracing {
  /** Spans of the activities of items, and of each item at its end. */
  activities(client: Client): ActivityInterceptorsFactory;
  /** Spans of the runs of campaigns and items. */
  readonly runs: RunListener;
  /** A span around a request to a service, below the activity that makes it. */
  request<O>(call: TracedCall<O>): Promise<O>;
  /** Sends what was recorded; never rejects, and takes 5 s at most. */
  flush(): Promise<void>;
}

export interface TracedCall<O> {
  readonly service: string;
  readonly operation: string;
  /** @param sent to be called just before the first byte is written */
  readonly run: (sent: () => void) => Promise<O>;
  readonly outcomeOf: (result: O) => string;
}
