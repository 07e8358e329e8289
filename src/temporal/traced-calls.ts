/**
 * Calls of every client of this process, for traces. Clients are made in many places, also where no worker is; who traces
 * sets the interceptor once. Without it a call goes on as it is.
 */
import type { WorkflowClientInterceptor } from '@temporalio/client';

/** The calls that change something; questions are asked too often to be of use in a trace. */
export type CallTracer = Required<
  Pick<WorkflowClientInterceptor, 'startWithDetails' | 'signal' | 'signalWithStart' | 'cancel'>
>;

let tracer: CallTracer | null = null;

/** To be called once. */
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
