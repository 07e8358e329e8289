/**
 * A budget for activities of any application: at most `limit` accepted in any `window`, for each credential.
 *
 * The arguments of a call wait in the budget, so their size has a bound. A call that is sent again and that the budget
 * does not know, because it was terminated, fails with "fate unknown": to execute it could do the same thing twice.
 * Rejected: leases, which a crash loses or uses twice, and a watchdog, which needs a process of ours.
 */
import {
  getExternalWorkflowHandle,
  log,
  patched,
  proxyActivities,
  type ActivityOptions,
} from '@temporalio/workflow';
import { decide, type Budget, type Grant } from '../../budget/budget.ts';
import type { DecisionAhead } from '../../budget/ahead.ts';
import { wasAnswered } from '../../budget/answered.ts';
import { requestKey } from '../../budget/request.ts';
import { credentialOf } from '../../budget/state.ts';
import type { BudgetStatus } from '../../budget/status.ts';
import { budgetDetails } from '../details/budget.ts';
import { summary } from '../details/summaries.ts';
import { answeredSignal, type Call, type CallAnswer, type CallRequest } from './calls.ts';
import { keepBudget } from './keep-budget.ts';
import type { BudgetVerbs, BudgetView, EndedGrant, KeptBudget, Refused } from './budget-verbs.ts';
import { returned, thrown } from './outcome.ts';

/** Calls that one budget queues. */
export const MOST_WAITING = 4_000;
/** Of their requests as JSON: all of them travel through continue-as-new in one payload of at most 2 MB. */
const MOST_BYTES = 1_700_000;
/** The same in histories without `bytes-of-queue`: only the arguments, in characters of JSON. */
const MOST_ARGUMENTS = 500_000;

/** Takes the place of the name of the credential whose slot is used, among the arguments of a call. */
export const GRANTED_CREDENTIAL = '{{hundredfold.credential}}';

export interface RollingWindowInput extends KeptBudget {
  /** Of the budget. */
  readonly name: string;
}

/** The activities that a budget calls itself; `budgetActivities` has them. */
export interface RollingWindowActivities {
  /** The clock of the Temporal server (ms). */
  readServerClock(): Promise<number>;
}

const { readServerClock } = proxyActivities<RollingWindowActivities>({
  startToCloseTimeout: '5s',
  priority: { priorityKey: 1 },
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '5s' },
});

/** The workflow of a budget. Export it beside your own; `startRollingWindow` starts it. */
export async function rollingWindow(input: RollingWindowInput): Promise<void> {
  await keepBudget(input, new Calls(input.name));
}

class Calls implements BudgetVerbs<Call> {
  readonly name: BudgetVerbs<Call>['name'];
  readonly #measure = patched('bytes-of-queue') ? BY_REQUEST : BY_ARGUMENTS;

  constructor(name: string) {
    this.name = { service: 'rolling window', address: name };
  }

  readClock(): Promise<number> {
    return readServerClock();
  }

  /** Not ahead of time: a foreign activity does not wait for its slot. */
  decide(state: Budget, now: number): DecisionAhead {
    const { grants, wakeAt } = decide(state, now);
    return { grants, wakeAt, opensAt: wakeAt };
  }

  details(status: BudgetStatus): string {
    return budgetDetails(status);
  }

  refuses(requests: readonly CallRequest[], budget: BudgetView): Refused {
    const queue = new QueueBound(budget, this.#measure);
    const refused = new Set<CallRequest>();
    const answers: Promise<void>[] = [];
    for (const request of requests) {
      const answer = queue.answerTo(request);
      if (answer === null) continue;
      refused.add(request);
      answers.push(report(request.job, answer));
    }
    return { refused, answers };
  }

  async run(grant: Grant<Call>, budget: () => BudgetView): Promise<EndedGrant> {
    const { job, credential } = grant.request;
    const activity = proxyActivities(optionsOf(grant, budget()))[job.activity];
    const args = job.args.map((arg) => (arg === GRANTED_CREDENTIAL ? credential : arg));
    const { closing, answer } = await (activity as (...args: unknown[]) => Promise<unknown>)(
      ...args,
    ).then(returned, thrown);
    return answer ? { closing, report: () => report(job, answer) } : { closing };
  }
}

const LOST: CallAnswer = {
  type: 'unknown',
  message: 'the budget was restarted and does not know whether the call was made',
};
const FULL: CallAnswer = { type: 'full' };

/** At most once: a second attempt could be accepted a second time. */
function optionsOf({ request }: Grant<Call>, { state }: BudgetView): ActivityOptions {
  const { job, credential } = request;
  const { submitQueue } = credentialOf(state, credential);
  return {
    summary: summary(`within ${credential}`),
    ...job.options,
    ...(submitQueue !== undefined && { taskQueue: submitQueue }),
    // The answer to an eager dispatch may be lost with the worker, and the call would count as executed.
    allowEagerDispatch: false,
    retry: { maximumAttempts: 1 },
  };
}

interface Measure {
  readonly most: number;
  readonly sizeOf: (request: CallRequest) => number;
}

const BY_ARGUMENTS: Measure = { most: MOST_ARGUMENTS, sizeOf: ({ job }) => job.size };
const BY_REQUEST: Measure = { most: MOST_BYTES, sizeOf: bytesOf };

const encoder = new TextEncoder();
/** Thousands of requests wait, and all of them are added up for each one that comes. */
const measured = new WeakMap<CallRequest, number>();

/** With what the queue adds to a request. */
function bytesOf(request: CallRequest): number {
  const known = measured.get(request);
  if (known !== undefined) return known;
  const bytes = encoder.encode(
    JSON.stringify({ order: 10_000, turnedAway: [], ...request }),
  ).length;
  measured.set(request, bytes);
  return bytes;
}

/** What waits or executes, counted once for many requests. */
class QueueBound {
  readonly #budget: BudgetView;
  readonly #measure: Measure;
  readonly #known: Set<string>;
  #waiting = 0;
  #size = 0;

  constructor(budget: BudgetView, measure: Measure) {
    this.#budget = budget;
    this.#measure = measure;
    const { outstanding, queue } = budget.state;
    this.#known = new Set(Object.keys(outstanding));
    for (const lane of queue.lanes)
      for (const request of lane.waiting as readonly unknown[] as CallRequest[]) this.#add(request);
  }

  /** null: it is queued, or is known. */
  answerTo(request: CallRequest): CallAnswer | null {
    const { state, now } = this.#budget;
    if (this.#known.has(requestKey(request)) || wasAnswered(state.answered, request, now))
      return null;
    // An unknown repeated call was sent to a budget that has been terminated since.
    if (request.job.repeated) return LOST;
    if (!this.#isConfigured(request)) return unconfigured(request, this.#budget);
    const { most, sizeOf } = this.#measure;
    const tooLong = this.#waiting > 0 && this.#size + sizeOf(request) > most;
    if (this.#waiting >= MOST_WAITING || tooLong) return FULL;
    this.#add(request);
    return null;
  }

  #isConfigured({ credential, others = [] }: CallRequest): boolean {
    return [credential, ...others].some((name) => configured(this.#budget).includes(name));
  }

  #add(request: CallRequest): void {
    this.#known.add(requestKey(request));
    this.#waiting += 1;
    this.#size += this.#measure.sizeOf(request);
  }
}

/** Names of credentials; one that a call has named by mistake is known to the state, with a limit of 0. */
function configured({ state }: BudgetView): string[] {
  const { credentials } = state;
  return Object.keys(credentials).filter((name) => credentials[name]?.window.limit !== 0);
}

/** A mistyped name would wait forever. */
function unconfigured({ credential }: CallRequest, budget: BudgetView): CallAnswer {
  const names = configured(budget).join(', ');
  const message = `the budget has no credential ${credential}: it was started with ${names}`;
  return { type: 'notAccepted', message, details: [] };
}

async function report({ id, caller }: Call, answer: CallAnswer): Promise<void> {
  try {
    const { workflowId, runId } = caller;
    await getExternalWorkflowHandle(workflowId, runId).signal(answeredSignal, id, answer);
  } catch (error) {
    log.warn('the caller of this call has ended', { ...caller, error: String(error) });
  }
}
