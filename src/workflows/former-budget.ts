/**
 * The budget workflow as it was until it took its time from activities: only for runs that began before that. Each of
 * them hands its state to the present one (budget.ts) when it continues as new. Nothing is to be changed here.
 */
import {
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  log,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { decideAhead } from '../budget/ahead.ts';
import { apply, newBudget, type Budget, type Grant } from '../budget/budget.ts';
import type { BudgetEvent } from '../budget/events.ts';
import type { Waiting } from '../budget/request.ts';
import { unpackState } from '../budget/packed.ts';
import { describe, snapshotOf } from '../budget/status.ts';
import { submit } from './activity-options.ts';
import { closingOf, fateOf, isAnswer } from './fates.ts';
import { budgetDetails, timerSummary } from './details/budget.ts';
import { submitSummary } from './details/summaries.ts';
import {
  budgetQuery,
  configureSignal,
  pauseLaneSignal,
  requestSignal,
  submittedSignal,
  withdrawSignal,
  type BudgetInput,
} from './messages.ts';
import type { ItemJob, SubmitResult } from './submit-types.ts';

export async function formerBudget(input: BudgetInput): Promise<void> {
  const keeper = new BudgetKeeper(input);
  setHandler(configureSignal, (limits) => keeper.take({ type: 'configure', ...limits }));
  setHandler(requestSignal, (requests) => {
    for (const request of requests) keeper.take({ type: 'request', request });
  });
  setHandler(withdrawSignal, ({ item }) => keeper.take({ type: 'withdraw', item }));
  setHandler(pauseLaneSignal, (lane) => keeper.take({ type: 'pause', ...lane }));
  setHandler(budgetQuery, () => keeper.status());
  await keeper.run();
}

class BudgetKeeper {
  readonly #input: BudgetInput;
  readonly #state: Budget;
  /** Something happened since the last decision. */
  #stirred = true;
  /** When the one timer fires (ms). It is never cancelled: a timer that fires early costs less than a cancelled one. */
  #timerAt: number | null = null;
  /** Submissions whose answer has not yet reached their item. */
  #unreported = 0;

  constructor(input: BudgetInput) {
    this.#input = input;
    this.#state = input.carried ? unpackState(input.carried) : newBudget();
  }

  take(event: BudgetEvent): void {
    apply(this.#state, event, Date.now());
    this.#stirred = true;
  }

  status() {
    const now = Date.now();
    return describe(snapshotOf(this.#input, this.#state, now, null), now);
  }

  async run(): Promise<void> {
    while (!workflowInfo().continueAsNewSuggested) {
      this.#stirred = false;
      const { grants, wakeAt, opensAt } = decideAhead(this.#state, Date.now());
      for (const grant of grants) void this.#submit(grant as Grant<ItemJob>);
      if (wakeAt !== null) this.#wakeBy(wakeAt, opensAt ?? wakeAt);
      setCurrentDetails(budgetDetails(this.status()));
      await condition(() => this.#stirred || workflowInfo().continueAsNewSuggested);
    }
    // Nothing is granted any more; what is on its way must come home before the state may travel.
    await condition(() => this.#unreported === 0);
    await continueAsNew<typeof formerBudget>({ ...this.#input, carried: this.#state });
  }

  async #submit(grant: Grant<ItemJob>): Promise<void> {
    this.#unreported += 1;
    const { request } = grant;
    const { service, address } = this.#input;
    const result = await submit
      .executeWithOptions({ summary: submitSummary(grant, Date.now()) }, [
        { ...request, probe: grant.probe, notBefore: grant.notBefore },
        { service, address, credential: request.credential },
      ])
      .catch(fateOf);
    const { item, run } = request;
    const closing = closingOf(result);
    this.take({ type: 'close', item, ...(run !== undefined && { run }), closing });
    if (isAnswer(result)) await this.#report(request, result);
    this.#unreported -= 1;
  }

  async #report({ item, turnedAway }: Waiting, result: SubmitResult): Promise<void> {
    try {
      await getExternalWorkflowHandle(item).signal(submittedSignal, { result, turnedAway });
    } catch (error) {
      // The item was cancelled or ended by hand meanwhile: the slot stays charged, nobody waits for the answer.
      log.warn('the item that this submission was for has ended', { item, error: String(error) });
    }
  }

  /** `opensAt`: what it wakes a little ahead of. */
  #wakeBy(at: number, opensAt: number): void {
    if (this.#timerAt !== null && this.#timerAt <= at) return;
    this.#timerAt = at;
    void this.#wake(at, timerSummary(this.status(), opensAt));
  }

  async #wake(at: number, summary: string): Promise<void> {
    await sleep(Math.max(1, at - Date.now()), { summary });
    if (this.#timerAt === at) this.#timerAt = null;
    this.#stirred = true;
  }
}
