/** The caller's side: activities that are executed by a budget when they have a slot. */
import {
  ApplicationFailure,
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  isCancellation,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { ActivityFunction, Priority } from '@temporalio/common';
import {
  answeredSignal,
  rollingWindowId,
  type Call,
  type CallAnswer,
  type CallOptions,
  type CallRequest,
} from './calls.ts';
import { requestSignal, withdrawSignal } from '../messages.ts';
import { FATE_UNKNOWN, notAccepted } from './outcome.ts';

/** A call without an answer is requested again this often: its budget may have been terminated. */
const ASK_AGAIN = '1 hour';
/** Where too many calls wait. */
const FULL_DELAY = '1 minute';
/** A Temporal payload has 2 MB, and thousands of calls travel in one. */
const LONGEST_ARGUMENTS = 50_000;

export interface LimitedActivityOptions extends CallOptions {
  /** Name of the budget, as given to `startRollingWindow`. */
  readonly budget: string;
  /**
   * Whose slots are used. Of several credentials, the first one with a slot; the activity receives it in place of
   * `GRANTED_CREDENTIAL` among the arguments.
   */
  readonly credential: string | readonly [string, ...string[]];
  /**
   * How long the activity may take, at most. It must not send anything later: give its request a deadline.
   */
  readonly startToCloseTimeout: NonNullable<CallOptions['startToCloseTimeout']>;
  /**
   * `priorityKey` from 1 (first) to 5, default 3. Callers with one `fairnessKey` share a queue; the queues take turns in
   * proportion to their `fairnessWeight` (default 1). Default key: the type of the calling workflow.
   */
  readonly priority?: Priority;
}

/**
 * Like `proxyActivities`, for activities that execute within a rolling window: at most L accepted in any W, counted
 * from the answer. Each call waits for its slot, however long, and is executed at most once.
 *
 * A call rejects with an `ApplicationFailure`: `isNotAccepted(error)` when the activity has thrown `notAccepted`,
 * `isFateUnknown(error)` when the activity threw something else, timed out or lost its worker. To call it again after
 * that may do the same thing twice. When the caller is cancelled while the call waits, the call is withdrawn; an
 * activity that has begun continues, and counts.
 *
 * @throws ApplicationFailure of type `hundredfold.BudgetNotFound` when no budget of this name runs
 */
export function proxyLimitedActivities<A>(options: LimitedActivityOptions): LimitedActivities<A> {
  const get = (_: object, activity: string | symbol): ActivityFunction => {
    if (typeof activity !== 'string') throw new TypeError('the name of an activity is a string');
    return (...args) => call({ activity, args, options });
  };
  return new Proxy({}, { get }) as LimitedActivities<A>;
}

/** What of a module or interface can be called as an activity. */
export type LimitedActivities<A> = {
  [K in keyof A as A[K] extends ActivityFunction ? K : never]: A[K];
};

interface Wanted {
  readonly activity: string;
  readonly args: readonly unknown[];
  readonly options: LimitedActivityOptions;
}

/** Calls of this workflow that wait for an answer, by id. */
const answers = new Map<string, CallAnswer>();
let calls = 0;

async function call(wanted: Wanted): Promise<unknown> {
  if (calls === 0) setHandler(answeredSignal, (id, answer) => void answers.set(id, answer));
  calls += 1;
  const id = String(calls);
  const budget = rollingWindowId(wanted.options.budget);
  try {
    for (let repeated = false; ;) {
      await ask(budget, requestOf(wanted, id, repeated));
      repeated = !(await condition(() => answers.has(id), ASK_AGAIN));
      if (repeated) continue;
      const answer = answers.get(id) as CallAnswer;
      answers.delete(id);
      if (answer.type !== 'full') return valueOf(wanted, answer);
      await sleep(FULL_DELAY);
    }
  } catch (error) {
    if (isCancellation(error)) {
      const { item, run } = requestOf(wanted, id, true);
      const withdrawn = { item, ...(run !== undefined && { run }) };
      // A budget that has ended will not execute it either.
      await CancellationScope.nonCancellable(() =>
        getExternalWorkflowHandle(budget)
          .signal(withdrawSignal, withdrawn)
          .catch(() => undefined),
      );
    }
    throw error;
  }
}

/** Requests of one moment, by the budget's id: they go there in one signal, in the order of their calls. */
const unsent = new Map<string, Batch>();

interface Batch {
  readonly requests: CallRequest[];
  /** Of their arguments. */
  size: number;
  readonly sent: Promise<void>;
}

/** Length of the arguments in one signal, in characters: a payload has a bound. */
const LONGEST_SIGNAL = 500_000;

async function ask(budget: string, request: CallRequest): Promise<void> {
  const { size } = request.job;
  const batch = unsent.get(budget);
  if (batch && batch.size + size <= LONGEST_SIGNAL) {
    batch.requests.push(request);
    batch.size += size;
    return batch.sent;
  }
  const requests = [request];
  // The first caller may be cancelled, and the others not.
  const sent = CancellationScope.nonCancellable(async () => {
    await Promise.resolve();
    if (unsent.get(budget)?.requests === requests) unsent.delete(budget);
    await send(budget, requests);
  });
  unsent.set(budget, { requests, size, sent });
  return sent;
}

async function send(budget: string, requests: readonly CallRequest[]): Promise<void> {
  try {
    await getExternalWorkflowHandle(budget).signal(requestSignal, requests);
  } catch (error) {
    throw ApplicationFailure.create({
      message: `no budget runs as ${budget}: call startRollingWindow first (${String(error)})`,
      type: 'hundredfold.BudgetNotFound',
      nonRetryable: true,
    });
  }
}

function requestOf(
  { activity, args, options }: Wanted,
  id: string,
  repeated: boolean,
): CallRequest {
  const { workflowId, runId, workflowType } = workflowInfo();
  const { budget: _, credential, priority = {}, ...execution } = options;
  const { fairnessKey = workflowType, fairnessWeight: weight = 1, priorityKey } = priority;
  const [first, ...others] = typeof credential === 'string' ? [credential] : credential;
  return {
    item: `${workflowId} ${id}`,
    run: runId,
    campaign: fairnessKey,
    credential: first,
    ...(others.length > 0 && { others }),
    attempt: 0,
    weight,
    ...(priorityKey !== undefined && { priority: priorityKey }),
    job: {
      id,
      generation: 0,
      activity,
      args,
      size: sizeOf(activity, args),
      options: execution,
      caller: { workflowId, runId },
      repeated,
    } satisfies Call,
  };
}

function sizeOf(activity: string, args: readonly unknown[]): number {
  const size = JSON.stringify(args).length;
  if (size <= LONGEST_ARGUMENTS) return size;
  throw ApplicationFailure.create({
    message: `the arguments of ${activity} have ${size} characters of JSON, and at most ${LONGEST_ARGUMENTS} are queued: pass a reference instead`,
    type: 'hundredfold.ArgumentsTooLarge',
    nonRetryable: true,
  });
}

function valueOf(
  { activity }: Wanted,
  answer: Exclude<CallAnswer, { readonly type: 'full' }>,
): unknown {
  switch (answer.type) {
    case 'returned':
      return answer.value;
    case 'notAccepted':
      throw notAccepted(answer.message, ...answer.details);
    case 'unknown': {
      const { message, cause } = answer;
      throw ApplicationFailure.create({
        message: `whether ${activity} was accepted is not known: ${message}`,
        type: FATE_UNKNOWN,
        nonRetryable: true,
        details: cause === undefined ? [] : [cause],
      });
    }
  }
}
