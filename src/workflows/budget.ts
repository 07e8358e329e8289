/**
 * The budget of one service address: it submits the jobs of campaigns within the limits of their credentials. When it
 * submits is decided by limiter/keep-budget.ts and the arithmetic in `src/budget/`; this file is what a submission is.
 */
import {
  getExternalWorkflowHandle,
  log,
  patched,
  type ActivityOptions,
} from '@temporalio/workflow';
import { noteTaken, takeNotices } from '../budget/allowance.ts';
import { decideAhead } from '../budget/ahead.ts';
import { isOwnFault } from '../budget/blame.ts';
import { limitsOf, type Budget, type Grant } from '../budget/budget.ts';
import { credentialOf } from '../budget/state.ts';
import type { CampaignRun } from '../budget/request.ts';
import type { BudgetStatus } from '../budget/status.ts';
import {
  countUnfinished,
  launchItem,
  notifyRefusal,
  readClock,
  readSteadyClock,
  submit,
} from './activity-options.ts';
import type { SteadyReading } from '../domain/outcomes.ts';
import { budgetDetails } from './details/budget.ts';
import { submitSummary, summary } from './details/summaries.ts';
import { closingOf, fateOf, isAnswer, submittedOf } from './fates.ts';
import { formerBudget } from './former-budget.ts';
import { keepBudget } from './limiter/keep-budget.ts';
import type { BudgetVerbs, BudgetView, EndedGrant, Messages } from './limiter/budget-verbs.ts';
import { submittedSignal, takenSignal, withdrawnSignal, type BudgetInput } from './messages.ts';
import { campaignWorkflowId } from './names.ts';
import type { ItemJob, SubmitRequest, SubmitResult } from './submit-types.ts';

export async function budget(input: BudgetInput): Promise<void> {
  if (!patched('budget-clock')) return formerBudget(input);
  await keepBudget(input, new Submissions(input));
}

/** A worker with the token would have started the submission by now (ms): its slot is released for others. */
const NOT_POLLED_MS = 15_000;

type ItemGrant = Grant<ItemJob>;

class Submissions implements BudgetVerbs<ItemJob> {
  readonly name: Pick<BudgetInput, 'service' | 'address'>;

  constructor({ service, address }: BudgetInput) {
    this.name = { service, address };
  }

  readClock(): Promise<number> {
    return readClock.executeWithOptions({ summary: 'the server’s clock' }, []);
  }

  readSteadyClock(): Promise<SteadyReading | null> {
    const options = { summary: 'a clock of the worker’s machine' };
    return readSteadyClock.executeWithOptions(options, []).catch(() => null);
  }

  /** Only if requests wait because of a bound. */
  countUnfinished(): Promise<number> {
    const options = { summary: 'how many jobs are unfinished' };
    return countUnfinished.executeWithOptions(options, [this.name.service]);
  }

  decide(state: Budget, now: number) {
    return decideAhead(state, now);
  }

  details(status: BudgetStatus): string {
    return budgetDetails(status);
  }

  granted(grants: readonly ItemGrant[], state: Budget): Messages {
    if (!patched('tell-taken')) return [];
    for (const grant of grants) noteTaken(state, grant);
    const { service } = this.name;
    const evenIfLast = !patched('tell-last-together');
    return takeNotices(state, { evenIfLast }).map(({ campaign, ...taken }) => {
      const handle = getExternalWorkflowHandle(campaignWorkflowId(campaign));
      return handle.signal(takenSignal, { service, ...taken }).catch((error: unknown) => {
        log.info('the campaign has ended', { campaign, error: String(error) });
      });
    });
  }

  withdrawn({ campaign }: CampaignRun): Promise<void> {
    const handle = getExternalWorkflowHandle(campaignWorkflowId(campaign));
    return handle.signal(withdrawnSignal, this.name.service).catch((error: unknown) => {
      log.info('the campaign has ended', { campaign, error: String(error) });
    });
  }

  refused(since: number, message: string): void {
    const notice = { ...this.name, since: new Date(since).toISOString(), message };
    const options = { summary: 'notify that the service refuses requests' };
    void notifyRefusal.executeWithOptions(options, [notice]).catch((error: unknown) => {
      log.warn('the notification that the service refuses requests failed', {
        error: String(error),
      });
    });
  }

  async run(grant: ItemGrant, budget: () => BudgetView): Promise<EndedGrant> {
    const { credential } = grant.request;
    const request = submitRequest(grant, budget());
    const answer = await submit
      .executeWithOptions(submitOptions(grant, budget()), [request, { ...this.name, credential }])
      .catch(fateOf);
    const result = blamed(grant, answer, budget());
    const closing = closingOf(result);
    if (!isAnswer(result) || 'told' in answer) return { closing };
    return { closing, report: () => this.#report(grant, result, budget()) };
  }

  async #report(grant: ItemGrant, result: SubmitResult, budget: BudgetView): Promise<void> {
    const { item, run, ...request } = grant.request;
    if (request.job.launch) return this.#launch(grant, result, budget);
    try {
      // To the run that requested it: the next run with this id waits for its own answer.
      const handle = getExternalWorkflowHandle(item, run);
      await handle.signal(submittedSignal, submittedOf(request, result));
    } catch (error) {
      // The item was cancelled or terminated meanwhile: the slot stays charged, and the answer is not needed.
      log.warn('the item that this submission was for has ended', { item, error: String(error) });
    }
  }

  /** An item that the activity could not start: it died, or the budget has judged the answer. */
  async #launch(grant: ItemGrant, result: SubmitResult, budget: BudgetView): Promise<void> {
    const { credential, job } = grant.request;
    await launchItem.executeWithOptions({ summary: summary(`begin item ${job.id}`) }, [
      submitRequest(grant, budget),
      { ...this.name, credential },
      result,
    ]);
  }
}

function submitRequest(
  { request, number, probe, notBefore, mayReplace, inDoubt }: ItemGrant,
  { state }: BudgetView,
): SubmitRequest {
  return {
    ...request,
    probe,
    number,
    failuresKnownTo: state.failuresKnownTo ?? 0,
    notBefore,
    ...(mayReplace && { mayReplace: true as const }),
    ...(inDoubt && { inDoubt: true as const }),
    limits: limitsOf(state, request.credential),
  };
}

/** If its token is refused, another one is tried: any worker of this service may have it. */
function submitOptions(grant: ItemGrant, { state, now }: BudgetView): ActivityOptions {
  const summary = submitSummary(grant, now);
  const { submitQueue } = credentialOf(state, grant.request.credential);
  if (submitQueue === undefined || grant.mayReplace) return { summary };
  return { summary, taskQueue: submitQueue, scheduleToStartTimeout: NOT_POLLED_MS };
}

/** Refused repeatedly while others pass: the row is the reason, and it fails with the message of the service. */
function blamed({ request }: ItemGrant, result: SubmitResult, budget: BudgetView): SubmitResult {
  if (result.type !== 'notNow' || result.reason !== 'blocked') return result;
  if (!isOwnFault(budget.state, request, budget.now)) return result;
  return { type: 'refused', status: 0, message: result.message };
}
