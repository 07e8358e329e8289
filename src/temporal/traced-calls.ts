/**
 * Tracing of calls for every client of this process. Clients are created in many places, even without a worker; tracing
 * sets the interceptor once. Without it, calls are unchanged.
 */
import type { WorkflowClientInterceptor } from '@temporalio/client';

/** The calls that change something; queries are too frequent to be useful in a trace. */
export type CallTracer = Required<
  Pick<WorkflowClientInterceptor, 'startWithDetails' | 'signal' | 'signalWithStart' | 'cancel'>
>;

let tracer: CallTracer | null = null;

/** Call it once. */
export function traceCalls(by: CallTracer): void {
  tracer = by;
}

/** For `interceptors` of each client. */
export const TRACED_CALLS: { readonly workflow: WorkflowClientInterceptor[] } = {
  workflow: [
    {
      startWithDetails: (input, next) => tracer?.startWithDetails(input, next) ?? next(input),
      signal: (input, next) => tracer?.signal(input, next) ?? next(input),
      signalWithStart: (input, next) => tracer?.signalWithStart(input, next) ?? next(input),
      cancel: (input, next) => tracer?.cancel(input, next) ?? next(input),
    },
  ],
};
