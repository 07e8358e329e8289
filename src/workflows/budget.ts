/**
 * The budget of one service address, as an entity workflow: it holds the windows, the queues and the blocks,
 * and runs the submit activity itself. There are no leases, so none can be lost by a crash between grant and use.
 *
 * All arithmetic is in `src/budget/`; this file is the clock, the timer and the activity around it.
 *
 * What happens is collected, then taken in at a time that was read after all of it had happened (budget-clock.ts): a
 * slot is charged until its close + window, and a close may be counted late but never early.
 */
import {
  condition,
  getExternalWorkflowHandle,
  log,
  makeContinueAsNewFunc,
  patched,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertMemo,
  type ActivityOptions,
} from '@temporalio/workflow';
import { boundQueue, noteTaken, takeNotices } from '../budget/allowance.ts';
import { decideAhead } from '../budget/ahead.ts';
import { needsCount } from '../budget/unfinished.ts';
import { isOwnFault } from '../budget/blame.ts';
import { apply, limitsOf, newBudget, type BudgetState, type Grant } from '../budget/budget.ts';
import { blocksOf, credentialOf } from '../budget/state.ts';
import type { BudgetEvent } from '../budget/events.ts';
import type { CampaignRun, Waiting } from '../budget/lanes.ts';
import { describe, snapshotOf, type BudgetSnapshot } from '../budget/status.ts';
import {
  countUnfinished,
  launchItem,
  notifyRefusal,
  readClock,
  submit,
} from './activity-options.ts';
import { BudgetClock } from './budget-clock.ts';
import { budgetDetails, timerSummary } from './details/budget.ts';
import { submitSummary, summary } from './details/summaries.ts';
import { closingOf, fateOf, isAnswer, submittedOf } from './fates.ts';
import { formerBudget } from './former-budget.ts';
import {
  budgetQuery,
  configureSignal,
  nudgeSignal,
  observeSignal,
  pauseLaneSignal,
  requestSignal,
  restoreSignal,
  STATUS_MEMO,
  submittedSignal,
  takenSignal,
  withdrawnSignal,
  withdrawRunSignal,
  withdrawSignal,
  type BudgetInput,
} from './messages.ts';
import { campaignWorkflowId } from './names.ts';
import { shouldContinueAsNew, toCurrentVersion } from './upgrade.ts';
import type { SubmitRequest, SubmitResult } from './verbs.ts';

export async function budget(input: BudgetInput): Promise<void> {
  if (!patched('budget-clock')) return formerBudget(input);
  const keeper = new BudgetKeeper(input);
  setHandler(configureSignal, (limits) => keeper.take({ type: 'configure', ...limits }));
  setHandler(requestSignal, (requests) => {
    for (const request of requests) keeper.take({ type: 'request', request });
  });
  setHandler(withdrawSignal, (item) => keeper.take({ type: 'withdraw', ...item }));
  setHandler(withdrawRunSignal, (run) => keeper.withdrawRun(run));
  setHandler(pauseLaneSignal, (lane) => keeper.take({ type: 'pause', ...lane }));
  setHandler(restoreSignal, (restored) => keeper.take({ type: 'restore', restored }));
  setHandler(observeSignal, ({ reason }) => keeper.take({ type: 'observe', reason }));
  setHandler(nudgeSignal, () => undefined);
  setHandler(budgetQuery, () => keeper.status());
  await keeper.run();
}

/** A person is told of a service that has refused us for so long (ms). */
const TOLD_AFTER_MS = 30_000;

/** A worker with the token would have taken a submission up by now (ms): its slot is needed elsewhere. */
const NOBODY_TAKES_MS = 15_000;

class BudgetKeeper {
  private readonly input: BudgetInput;
  private readonly state: BudgetState;
  private readonly clock: BudgetClock;
  /** What has happened since the clock was last read. */
  private happened: BudgetEvent[] = [];
  private woken = true;
  /** When the one timer fires (ms). It is never cancelled: a timer that fires early costs less than a cancelled one. */
  private timerAt: number | null = null;
  /** When something is decided without anything happening before (ms). */
  private wakeAt: number | null = null;
  /** Runs of campaigns that have withdrawn, and are to be told when nothing of them is on its way. */
  private leaving: CampaignRun[] = [];
  /** Grants whose submission has not ended, or whose end has not yet reached their item. */
  private readonly underWay = new Set<Grant>();
  /** The snapshot written last, but for its time. */
  private written = '';

  constructor(input: BudgetInput) {
    this.input = input;
    this.state = input.carried ?? newBudget();
    this.clock = new BudgetClock(input.clock);
  }

  take(event: BudgetEvent): void {
    this.happened.push(event);
  }

  withdrawRun(run: CampaignRun): void {
    this.take({ type: 'withdrawRun', ...run });
    this.leaving.push(run);
  }

  status() {
    return describe(this.snapshot(), this.clock.now);
  }

  async run(): Promise<void> {
    // At once: a budget that has written nothing is taken for one of an earlier version (src/watchdog).
    this.show();
    while (!shouldContinueAsNew()) {
      await this.takeIn();
      this.grant();
      this.show();
      this.tellRefusal();
      await condition(() => this.isStirred || shouldContinueAsNew());
    }
    // Nothing is granted any more; what is on its way must come home before the state may travel.
    while (this.underWay.size > 0 || this.happened.length > 0) {
      await condition(() => this.happened.length > 0 || this.underWay.size === 0);
      await this.takeIn();
    }
    await this.continueAsNew();
  }

  private get isStirred(): boolean {
    return this.woken || this.happened.length > 0;
  }

  /** The time is read after all that it is used for has happened, however long that took. */
  private async takeIn(): Promise<void> {
    const events = this.happened.splice(0);
    this.woken = false;
    const summary = 'the server’s clock';
    if (this.clock.read(await readClock.executeWithOptions({ summary }, []))) this.timerAt = null;
    for (const event of events) apply(this.state, event, this.clock.now);
    this.tellWithdrawn();
    // Not awaited for nothing: the order of commands in histories of before there was a bound would change.
    if (needsCount(this.state, this.clock.now)) await this.count();
  }

  /** Only where a bound keeps somebody waiting. */
  private async count(): Promise<void> {
    const options = { summary: 'how many jobs are unfinished' };
    const count = await countUnfinished.executeWithOptions(options, [this.input.service]);
    apply(this.state, { type: 'counted', count }, this.clock.now);
  }

  private grant(): void {
    const { grants, wakeAt, opensAt } = decideAhead(this.state, this.clock.now);
    for (const grant of grants) void this.submit(grant);
    if (patched('tell-taken')) this.tellTaken(grants);
    this.wakeAt = wakeAt;
    if (wakeAt !== null) this.wakeBy(wakeAt, opensAt ?? wakeAt);
  }

  private tellTaken(grants: readonly Grant[]): void {
    for (const grant of grants) noteTaken(this.state, grant);
    const { service } = this.input;
    for (const { campaign, ...taken } of takeNotices(this.state)) {
      const told = getExternalWorkflowHandle(campaignWorkflowId(campaign));
      told.signal(takenSignal, { service, ...taken }).catch((error: unknown) => {
        log.info('the campaign has ended', { campaign, error: String(error) });
      });
    }
  }

  /** To campaigns that were cancelled: from now on nothing of theirs begins. */
  private tellWithdrawn(): void {
    const isUnderWay = ({ campaign, run }: CampaignRun): boolean =>
      [...this.underWay].some(
        ({ request }) => request.campaign === campaign && request.run === run,
      );
    const gone = this.leaving.filter((one) => !isUnderWay(one));
    this.leaving = this.leaving.filter((one) => !gone.includes(one));
    for (const { campaign } of gone) {
      const told = getExternalWorkflowHandle(campaignWorkflowId(campaign));
      told.signal(withdrawnSignal, this.input.service).catch((error: unknown) => {
        log.info('the campaign has ended', { campaign, error: String(error) });
      });
    }
  }

  private async submit(grant: Grant): Promise<void> {
    this.underWay.add(grant);
    const { request } = grant;
    const { service, address } = this.input;
    const answer = await submit
      .executeWithOptions(this.submitOptions(grant), [
        this.submitRequest(grant),
        { service, address, credential: request.credential },
      ])
      .catch(fateOf);
    const result = this.blamed(request, answer);
    const { item, run } = request;
    const closing = closingOf(result);
    this.take({ type: 'close', item, ...(run !== undefined && { run }), closing });
    if (isAnswer(result) && !('told' in answer)) await this.report(grant, result);
    this.underWay.delete(grant);
    this.tellWithdrawn();
  }

  private submitRequest({ request, probe, notBefore, mayReplace, inDoubt }: Grant): SubmitRequest {
    return {
      ...{ ...request, probe, notBefore },
      ...(mayReplace && { mayReplace: true as const }),
      ...(inDoubt && { inDoubt: true as const }),
      limits: limitsOf(this.state, request.credential),
    };
  }

  /** Another token is tried where the own one is refused: any worker of this service may have it. */
  private submitOptions(grant: Grant): ActivityOptions {
    const summary = submitSummary(grant, this.clock.now);
    const { submitQueue } = credentialOf(this.state, grant.request.credential);
    if (submitQueue === undefined || grant.mayReplace) return { summary };
    return { summary, taskQueue: submitQueue, scheduleToStartTimeout: NOBODY_TAKES_MS };
  }

  /** Once for each time that the service begins to refuse us, and not for what is over in a moment. */
  private tellRefusal(): void {
    const { service, address } = this.input;
    for (const block of blocksOf(this.state)) {
      const { refusesSince: since, reason: message } = block;
      if (since === undefined || block.told === true) continue;
      if (this.clock.now - since < TOLD_AFTER_MS) continue;
      block.told = true;
      const notice = { service, address, since: new Date(since).toISOString(), message };
      const options = { summary: 'tell that the service refuses us' };
      void notifyRefusal.executeWithOptions(options, [notice]).catch((error: unknown) => {
        log.warn('nobody was told that the service refuses us', { error: String(error) });
      });
    }
  }

  /** Refused again and again while others pass: it is the row, and it fails with the words of the service. */
  private blamed(request: Waiting, result: SubmitResult): SubmitResult {
    if (result.type !== 'notNow' || result.reason !== 'blocked') return result;
    if (!isOwnFault(this.state, request, this.clock.now)) return result;
    return { type: 'refused', status: 0, message: result.message };
  }

  private async report(grant: Grant, result: SubmitResult): Promise<void> {
    const { item, run, ...request } = grant.request;
    if (request.job.launch) return this.launch(grant, result);
    try {
      // To the run that asked: the next one of this id waits for an answer of its own.
      const handle = getExternalWorkflowHandle(item, run);
      await handle.signal(submittedSignal, submittedOf(request, result));
    } catch (error) {
      // The item was cancelled or ended by hand meanwhile: the slot stays charged, nobody waits for the answer.
      log.warn('the item that this submission was for has ended', { item, error: String(error) });
    }
  }

  /** What the activity could not begin: it died, or the budget has decided what its answer means. */
  private async launch(grant: Grant, result: SubmitResult): Promise<void> {
    const { service, address } = this.input;
    const { credential, job } = grant.request;
    await launchItem.executeWithOptions({ summary: summary(`begin item ${job.id}`) }, [
      this.submitRequest(grant),
      { service, address, credential },
      result,
    ]);
  }

  /** `opensAt`: what it wakes a little ahead of. */
  private wakeBy(at: number, opensAt: number): void {
    if (this.timerAt !== null && this.timerAt <= at) return;
    this.timerAt = at;
    void this.sleepUntil(at, timerSummary(this.status(), opensAt));
  }

  private async sleepUntil(at: number, summary: string): Promise<void> {
    await sleep(Math.max(1, at - this.clock.now), { summary });
    if (this.timerAt === at) this.timerAt = null;
    this.clock.reaches(at);
    this.woken = true;
  }

  private snapshot(): BudgetSnapshot {
    return snapshotOf(this.input, this.state, this.clock.now, this.wakeAt);
  }

  /** For whoever looks at the budget: its details in the Temporal UI, and its memo for the program. */
  private show(): void {
    setCurrentDetails(budgetDetails(this.status()));
    const snapshot = this.snapshot();
    const { at: _, ...standing } = snapshot;
    const text = JSON.stringify(standing);
    if (text === this.written) return;
    this.written = text;
    upsertMemo({ [STATUS_MEMO]: snapshot });
  }

  private continueAsNew(): Promise<never> {
    boundQueue(this.state);
    const memo = { [STATUS_MEMO]: this.snapshot() };
    const next = makeContinueAsNewFunc<typeof budget>({ memo, ...toCurrentVersion() });
    return next({ ...this.input, carried: this.state, clock: this.clock.carried() });
  }
}
