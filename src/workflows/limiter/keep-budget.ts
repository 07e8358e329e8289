/**
 * A budget as an entity workflow: it keeps the windows, the queues and the blocks, and runs what it grants itself.
 * There are no leases, so none can be lost by a crash between grant and use.
 *
 * All arithmetic is in `src/budget/`; this file is the clock, the timer and the bookkeeping around it. What is run, how
 * its end counts and who is notified comes from outside (`BudgetVerbs`): jobs of campaigns (../budget.ts), or any
 * activity (rolling-window.ts).
 *
 * Events are collected, and applied at a time that is read after all of them (../budget-clock.ts): a slot is charged
 * until its answer + window, and an answer may be counted late but never early (answer-times.ts).
 */
import {
  condition,
  makeContinueAsNewFunc,
  patched,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertMemo,
  type Workflow,
} from '@temporalio/workflow';
import { boundQueue } from '../../budget/allowance.ts';
import { needsCount } from '../../budget/unfinished.ts';
import { apply, newBudget, type Budget, type Grant } from '../../budget/budget.ts';
import { packSnapshot, packState, unpackState } from '../../budget/packed.ts';
import { blocksOf } from '../../budget/state.ts';
import type { BudgetEvent } from '../../budget/events.ts';
import type { CampaignRun, JobReference, Request } from '../../budget/request.ts';
import {
  describe,
  snapshotOf,
  type BudgetSnapshot,
  type BudgetStatus,
} from '../../budget/status.ts';
import { BudgetClock } from '../budget-clock.ts';
import { timerSummary } from '../details/budget.ts';
import {
  budgetQuery,
  configureSignal,
  nudgeSignal,
  observeSignal,
  pauseLaneSignal,
  requestSignal,
  restoreSignal,
  STATUS_MEMO,
  withdrawRunSignal,
  withdrawSignal,
} from '../messages.ts';
import { shouldContinueAsNew, toCurrentVersion } from '../upgrade.ts';
import { AnswerTimes } from './answer-times.ts';
import type { BudgetVerbs, BudgetView, KeptBudget } from './budget-verbs.ts';
import { canBeCarried } from './carried-events.ts';

/** A notification is sent when a service has refused us for this long (ms). */
const NOTIFY_AFTER_MS = 30_000;

/** Keeps a budget until its workflow continues as new. */
export async function keepBudget<Job extends JobReference>(
  input: KeptBudget,
  verbs: BudgetVerbs<Job>,
): Promise<void> {
  const keeper = new BudgetKeeper(input, verbs);
  setHandler(configureSignal, (limits) => keeper.take({ type: 'configure', ...limits }));
  setHandler(requestSignal, (requests) => {
    for (const request of requests) keeper.take({ type: 'request', request });
  });
  setHandler(withdrawSignal, (item) => keeper.take({ type: 'withdraw', ...item }));
  setHandler(withdrawRunSignal, (run) => keeper.take({ type: 'withdrawRun', ...run }));
  setHandler(pauseLaneSignal, (lane) => keeper.take({ type: 'pause', ...lane }));
  setHandler(restoreSignal, (restored) => keeper.take({ type: 'restore', restored }));
  setHandler(observeSignal, ({ reason }) => keeper.take({ type: 'observe', reason }));
  setHandler(nudgeSignal, () => undefined);
  setHandler(budgetQuery, () => keeper.status());
  await keeper.run();
}

const NONE: ReadonlySet<Request> = new Set();

class BudgetKeeper<Job extends JobReference> {
  readonly #input: KeptBudget;
  readonly #verbs: BudgetVerbs<Job>;
  readonly #state: Budget;
  readonly #clock: BudgetClock;
  /** Events since the clock was last read. */
  #happened: BudgetEvent[] = [];
  #woken = true;
  /** When the one timer fires (ms). It is never cancelled: a timer that fires early costs less than a cancelled one. */
  #timerAt: number | null = null;
  /** The time of the next decision if no event comes before (ms). */
  #wakeAt: number | null = null;
  /** Runs of campaigns that have withdrawn, and are notified when none of their submissions is in progress. */
  #leaving: CampaignRun[] = [];
  /** Grants that have not ended, or whose end has not been reported yet. */
  readonly #underWay = new Set<Grant>();
  /** Messages that are not delivered yet. */
  readonly #sending = new Set<Promise<void>>();
  /** The snapshot that was written last, without its time. */
  #written = '';
  /** Older histories have more writes of the memo: charges that are grouped look the same more often. */
  readonly #packs = patched('packed-charges');
  /** null in older histories, which charge a slot when the answer is taken in. */
  readonly #answers = patched('answer-times') ? new AnswerTimes() : null;

  constructor(input: KeptBudget, verbs: BudgetVerbs<Job>) {
    this.#input = input;
    this.#verbs = verbs;
    this.#state = input.carried ? unpackState(input.carried) : newBudget();
    this.#clock = new BudgetClock(input.clock);
    for (const event of input.happened ?? []) this.take(event);
  }

  take(event: BudgetEvent): void {
    this.#happened.push(event);
    if (event.type === 'withdrawRun') this.#leaving.push(event);
  }

  status(): BudgetStatus {
    return describe(this.#snapshot(), this.#clock.now);
  }

  async run(): Promise<void> {
    // Immediately: a budget without a memo is taken for one of an earlier version (src/watchdog).
    this.#show();
    while (!shouldContinueAsNew()) {
      await this.#takeIn();
      this.#grant();
      this.#show();
      this.#reportRefusal();
      await condition(() => this.#isStirred || shouldContinueAsNew());
    }
    // Nothing is granted any more; submissions in progress must finish before the state is carried over.
    await (patched('carried-events') ? this.#finish() : this.#formerFinish());
    await this.#continueAsNew();
  }

  /**
   * Only ends of submissions are taken in; the next run receives the other events. To take in an event takes a reading of
   * the clock and perhaps an answer, and meanwhile there would always be another event if there is no pause between them.
   */
  async #finish(): Promise<void> {
    const isDone = (): boolean => this.#underWay.size === 0 && this.#sending.size === 0;
    for (;;) {
      await condition(() => isDone() || !canBeCarried(this.#happened));
      if (canBeCarried(this.#happened)) return;
      await this.#takeIn();
    }
  }

  /** The same in histories without `carried-events`. */
  async #formerFinish(): Promise<void> {
    while (this.#underWay.size > 0 || this.#happened.length > 0) {
      await condition(() => this.#happened.length > 0 || this.#underWay.size === 0);
      await this.#takeIn();
    }
  }

  get #isStirred(): boolean {
    return this.#woken || this.#happened.length > 0;
  }

  #view(): BudgetView {
    return { state: this.#state, now: this.#clock.now };
  }

  /** The time is read after all events that it is used for, however long that takes. */
  async #takeIn(): Promise<void> {
    const taken = this.#happened.splice(0);
    this.#woken = false;
    // Before the budget's clock. Only awaited if needed, as below.
    const steady = this.#wantsReading(taken) ? await this.#verbs.readSteadyClock?.() : null;
    if (this.#clock.read(await this.#verbs.readClock())) this.#timerAt = null;
    if (steady) this.#answers?.saw(steady, this.#clock.now);
    const events = this.#answers?.timed(taken, this.#clock) ?? taken;
    // Requested at the first request, so that the limits configured before it apply.
    let refused: ReadonlySet<Request> | null = null;
    for (const event of events) {
      if (event.type === 'request') {
        refused ??= this.#refused(events);
        if (refused.has(event.request)) continue;
      }
      apply(this.#state, event, this.#clock.now);
    }
    this.#reportWithdrawn();
    // Only awaited if needed: an await would change the order of commands in histories older than this bound.
    if (this.#verbs.countUnfinished && needsCount(this.#state, this.#clock.now)) {
      const count = await this.#verbs.countUnfinished();
      apply(this.#state, { type: 'counted', count }, this.#clock.now);
    }
  }

  #wantsReading(taken: readonly BudgetEvent[]): boolean {
    if (!this.#answers || !this.#verbs.readSteadyClock) return false;
    if (taken.length === 0)
      return this.#answers.wantsReading(this.#clock.now) && patched('steady-readings');
    const isFirst = this.#answers.isNew && taken.some(({ type }) => type === 'request');
    return isFirst && patched('first-reading');
  }

  #refused(events: readonly BudgetEvent[]): ReadonlySet<Request> {
    const requests = events.flatMap((event) =>
      event.type === 'request' ? [event.request as Request<Job>] : [],
    );
    const { refused = NONE, answers = [] } = this.#verbs.refuses?.(requests, this.#view()) ?? {};
    this.#track(...answers);
    return refused;
  }

  /** The server delivers no message of a run that has continued as new, so this run waits for its messages. */
  #track(...messages: readonly Promise<void>[]): void {
    for (const message of messages) {
      this.#sending.add(message);
      void message.finally(() => this.#sending.delete(message));
    }
  }

  #grant(): void {
    const { grants, wakeAt, opensAt } = this.#verbs.decide(this.#state, this.#clock.now);
    // The state is plain data, without the type of the jobs of its requests.
    const granted = grants as readonly unknown[] as readonly Grant<Job>[];
    for (const grant of granted) void this.#runGranted(grant);
    this.#track(...(this.#verbs.granted?.(granted, this.#state) ?? []));
    this.#wakeAt = wakeAt;
    if (wakeAt !== null) this.#wakeBy(wakeAt, opensAt ?? wakeAt);
  }

  async #runGranted(grant: Grant<Job>): Promise<void> {
    this.#underWay.add(grant);
    const { closing, report } = await this.#verbs.run(grant, () => this.#view());
    const { item, run } = grant.request;
    this.take({ type: 'close', item, ...(run !== undefined && { run }), closing });
    if (report) await report();
    this.#underWay.delete(grant);
    this.#reportWithdrawn();
  }

  /** To cancelled campaigns: nothing of theirs starts from now on. */
  #reportWithdrawn(): void {
    const isUnderWay = ({ campaign, run }: CampaignRun): boolean =>
      [...this.#underWay].some(
        ({ request }) => request.campaign === campaign && request.run === run,
      );
    const gone = this.#leaving.filter((one) => !isUnderWay(one));
    this.#leaving = this.#leaving.filter((one) => !gone.includes(one));
    this.#track(...gone.flatMap((run) => this.#verbs.withdrawn?.(run) ?? []));
  }

  /** Once each time that the service begins to refuse us, and not for short refusals. */
  #reportRefusal(): void {
    for (const block of blocksOf(this.#state)) {
      const { refusesSince: since, reason } = block;
      if (since === undefined || block.told === true) continue;
      if (this.#clock.now - since < NOTIFY_AFTER_MS) continue;
      block.told = true;
      this.#verbs.refused?.(since, reason);
    }
  }

  /** `opensAt`: what it wakes a little ahead of. */
  #wakeBy(at: number, opensAt: number): void {
    if (this.#timerAt !== null && this.#timerAt <= at) return;
    this.#timerAt = at;
    void this.#sleepUntil(at, timerSummary(this.status(), opensAt));
  }

  async #sleepUntil(at: number, summary: string): Promise<void> {
    await sleep(Math.max(1, at - this.#clock.now), { summary });
    if (this.#timerAt === at) this.#timerAt = null;
    this.#clock.reaches(at);
    this.#woken = true;
  }

  #snapshot(): BudgetSnapshot {
    return snapshotOf(this.#verbs.name, this.#state, this.#clock.now, this.#wakeAt);
  }

  /** Updates the details in the Temporal UI, and the memo for the program. */
  #show(): void {
    const snapshot = this.#snapshot();
    setCurrentDetails(this.#verbs.details(describe(snapshot, this.#clock.now)));
    const written = this.#packs ? packSnapshot(snapshot) : snapshot;
    const { at: _, ...standing } = written;
    const text = JSON.stringify(standing);
    if (text === this.#written) return;
    this.#written = text;
    upsertMemo({ [STATUS_MEMO]: written });
  }

  #continueAsNew(): Promise<never> {
    boundQueue(this.#state);
    const memo = { [STATUS_MEMO]: packSnapshot(this.#snapshot()) };
    const next = makeContinueAsNewFunc<Workflow>({ memo, ...toCurrentVersion() });
    return next({
      ...this.#input,
      carried: packState(this.#state),
      clock: this.#clock.carried(),
      happened: this.#happened,
    });
  }
}
