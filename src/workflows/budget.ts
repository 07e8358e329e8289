/**
 * The budget of a token as an entity workflow: it keeps the windows, the queue and the waits, and runs what it grants itself.
 * There are no leases, so none can be lost by a crash between grant and use.
 *
 * All arithmetic is in `src/budget/`; this file is the clock, the timer, the submissions and who is notified of what.
 *
 * Slots are granted with the last reading of the clock (budget-clock.ts), which is not later than now. A submission that
 * has ended is in flight until a reading that was scheduled after its end, and is charged from that one. Both err to the
 * safe side, so no grant waits for the clock, and one reading serves all ends before it.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  log,
  makeContinueAsNewFunc,
  setHandler,
  sleep,
  TimeoutFailure,
  upsertMemo,
  workflowInfo,
  type ActivityOptions,
  type Workflow,
} from '@temporalio/workflow';
import {
  decideWithLead,
  applyReading,
  createBudget,
  take,
  type Budget,
  type Grant,
} from '../budget/budget.ts';
import { limitQueue, takeBack, type CampaignRun, type TakeBack } from '../budget/queue.ts';
import { computeCountedBefore, isRowRejected, shouldCount } from '../budget/closing.ts';
import type { BudgetEvent, SubmitResult, Unsettled } from '../budget/state.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import {
  createSnapshot,
  inherit,
  type BudgetSnapshot,
  type FormerBudget,
} from '../budget/status.ts';
import { BudgetClock } from './budget-clock.ts';
import {
  reportToCampaign,
  countOpenJobs,
  notifyRefusal,
  readClock,
  readFormer,
  settleSubmission,
  shouldContinueAsNew,
  submit,
  toCurrentVersion,
  withToken,
} from './activity-options.ts';
import type { SubmitRequest } from './activity-types.ts';
import { formatTimerSummary, submitSummary } from './details.ts';
import {
  configureSignal,
  nudgeSignal,
  observeSignal,
  pauseLineSignal,
  requestSignal,
  restoreSignal,
  STATUS_MEMO,
  takeBackSignal,
  withdrawRunSignal,
  type BudgetInput,
  type LaneName,
  type TakenBack,
} from './messages.ts';

/** A notification is sent when a service has refused us for this long (ms). */
const NOTIFY_AFTER_MS = 30_000;
/** A worker with the token would have started the submission by now (ms): its slot is released for others. */
const NOT_POLLED_MS = 15_000;

export async function budget(input: BudgetInput): Promise<void> {
  const keeper = new BudgetKeeper(input);
  setHandler(configureSignal, (limits) => keeper.take({ type: 'configure', ...limits }));
  setHandler(requestSignal, (requests) => {
    for (const request of requests) keeper.take({ type: 'request', request });
  });
  setHandler(withdrawRunSignal, (run) => keeper.takeWithdrawal(run));
  setHandler(takeBackSignal, (asked) => keeper.takeRequestBack(asked));
  setHandler(pauseLineSignal, (line) => keeper.take({ type: 'pause', ...line }));
  setHandler(restoreSignal, (restored) => keeper.take({ type: 'restore', restored }));
  setHandler(observeSignal, ({ reason }) => keeper.take({ type: 'observe', reason }));
  setHandler(nudgeSignal, () => undefined);
  await keeper.run();
}

interface Settling extends Pick<Unsettled, 'request'> {
  readonly scope: CancellationScope;
  /** It has ended, and what it has shown counts from the next reading of the clock. */
  isOver: boolean;
}

class BudgetKeeper {
  readonly #input: BudgetInput;
  readonly #state: Budget;
  readonly #clock: BudgetClock;
  #woken = false;
  /** A reading of the clock is in progress, or a count of open jobs. */
  #isReading = false;
  #isCounting = false;
  /** This run was reset, and what the former one has charged is not known yet. */
  #isUnknown = false;
  /** The clock was read just now, and nothing has happened since. */
  #isFresh = false;
  /** When the one timer fires (ms). It is never cancelled: a timer that fires early costs less than a cancelled one. */
  #timerAt: number | null = null;
  /** The time of the next decision if no event comes before (ms). */
  #wakeAt: number | null = null;
  /** Runs of campaigns that have withdrawn, and are notified when none of their submissions is in progress. */
  #leaving: CampaignRun[] = [];
  /** Rows that campaigns want back: after the next grants, so that none goes that can be sent. */
  #takeBacks: TakeBack[] = [];
  /** Grants that have not ended, or whose end has not been reported yet. */
  readonly #underWay = new Set<Grant>();
  /** Look-ups in progress, by `requestKey`. */
  readonly #settling = new Map<string, Settling>();
  /** Messages that are not delivered yet. */
  readonly #sending = new Set<Promise<void>>();
  /** The snapshot that was written last, without its time. */
  #written = '';
  /** Not taken over yet: nothing is granted before that, and the memo of the start has it. */
  #former: FormerBudget | null;
  /** The run that the clock was last read for. Unlike `runId`, this is the former one after a reset. */
  #run = workflowInfo().originalExecutionRunId;

  constructor(input: BudgetInput) {
    this.#input = input;
    this.#state = input.carried ?? createBudget();
    this.#former = input.carried ? null : toFormer(input);
    const written = this.#former?.written;
    this.#clock = new BudgetClock(
      input.clock ?? (written ? { now: written.at, ahead: 0 } : undefined),
    );
    if (input.configuration) this.take({ type: 'configure', ...input.configuration });
  }

  take(event: BudgetEvent): void {
    take(this.#state, event, this.#clock.now);
    this.#woken = true;
  }

  takeWithdrawal(run: CampaignRun): void {
    this.take({ type: 'withdrawRun', ...run });
    // At once: before it continues as new, it waits for them.
    this.#leaveLookUps();
    this.#leaving.push(run);
    this.#reportWithdrawn();
  }

  takeRequestBack(asked: TakeBack): void {
    this.#takeBacks.push(asked);
    this.#woken = true;
  }

  /** Nothing is granted before the first reading: it shows whether this run was reset. */
  async run(): Promise<void> {
    await this.#read();
    while (!shouldContinueAsNew()) {
      this.#woken = false;
      this.#settleSubmissions();
      this.#grant();
      this.#giveBack();
      this.#show();
      this.#reportRefusal();
      this.#measure();
      await condition(() => this.#woken || shouldContinueAsNew());
    }
    // Nothing is granted any more. An activity or a message is of one run: they must end before it does.
    do {
      this.#giveBack();
      await condition(() => this.#isDone || this.#takeBacks.length > 0);
    } while (!this.#isDone);
    await this.#continueAsNew();
  }

  /** Nothing of this run is on its way, and no campaign waits for an answer. */
  get #isDone(): boolean {
    const isIdle = !this.#isReading && !this.#isCounting;
    const messages = this.#takeBacks.length + this.#sending.size + this.#leaving.length;
    return isIdle && this.#underWay.size === 0 && messages === 0;
  }

  get #reference(): ServiceReference {
    const { service, address, credential } = this.#input;
    return { service, address, credential };
  }

  /** What the next decisions need to know. Nothing waits for it that may be decided now. */
  #measure(): void {
    const isLate = this.#wakeAt !== null && !this.#isFresh;
    if (!this.#isReading && (isLate || this.#state.untimed.length > 0)) void this.#read();
    if (!this.#isCounting && shouldCount(this.#state, this.#clock.now)) void this.#count();
    this.#isFresh = false;
  }

  /** One reading for all that has happened before it. */
  async #read(): Promise<void> {
    this.#isReading = true;
    const events = this.#state.untimed.length;
    const { now: since } = this.#clock;
    const { at, run } = await readClock.executeWithOptions({ summary: 'the server’s clock' }, []);
    if (this.#clock.read(at, since)) this.#timerAt = null;
    await this.#takeOver(run);
    applyReading(this.#state, events, this.#clock.now);
    this.#isReading = false;
    this.#isFresh = true;
    this.#woken = true;
  }

  async #count(): Promise<void> {
    this.#isCounting = true;
    const { now } = this.#clock;
    const options = { summary: 'how many jobs have not ended' };
    const count = await countOpenJobs.executeWithOptions(options, [
      this.#reference,
      computeCountedBefore(this.#state, now),
    ]);
    take(this.#state, { type: 'counted', count }, now);
    this.#isCounting = false;
    this.#woken = true;
  }

  /** The decisions depend on results of activities alone: while a reset run is replayed, all else is that of the new one. */
  async #takeOver(run: string): Promise<void> {
    if (this.#former) this.#inherit(this.#former);
    this.#former = null;
    if (run === this.#run) return;
    this.#isUnknown = true;
    const options = { summary: 'what the former run has charged' };
    const written = await readFormer.executeWithOptions(options, [this.#run]);
    // The server's clock may have been set back in it: the times of its memo are never in the future.
    if (written) this.#clock.reaches(written.at);
    this.#inherit({ run: this.#run, reason: 'its workflow was reset', written });
    this.#run = run;
    this.#isUnknown = false;
  }

  #inherit({ run: from, reason, written }: FormerBudget): void {
    const { now } = this.#clock;
    inherit(this.#state, written, now);
    this.#state.restored = { from, at: now, reason };
  }

  /** The server delivers no message of a run that has continued as new, so this run waits for its messages and notifications. */
  #track(...messages: readonly Promise<void>[]): void {
    for (const message of messages) {
      this.#sending.add(message);
      void message.finally(() => this.#sending.delete(message));
    }
  }

  /** With the last reading: it is not later than now, so that a slot may be given late and never early. */
  #grant(): void {
    if (this.#isUnknown) return;
    const { grants, wakeAt, opensAt } = decideWithLead(this.#state, this.#clock.now);
    for (const grant of grants) void this.#runGranted(grant);
    this.#wakeAt = wakeAt;
    // With an old reading it would fire late.
    if (wakeAt !== null && this.#isFresh) this.#wakeBy(wakeAt, opensAt ?? wakeAt);
  }

  async #runGranted(grant: Grant): Promise<void> {
    this.#underWay.add(grant);
    const result = this.#judgeRefusal(grant, await this.#submit(grant));
    const { item, run } = grant.request;
    this.take({ type: 'close', item, run, result });
    this.#underWay.delete(grant);
    this.#reportWithdrawn();
  }

  /** At most once. Never rejects. */
  #submit(grant: Grant): Promise<SubmitResult> {
    const { probe, notBefore, mayHaveJob } = grant;
    const request: SubmitRequest = {
      ...grant.request,
      probe,
      notBefore,
      readIn: this.#run,
      ...(mayHaveJob && { mayHaveJob }),
      policy: this.#state.policy,
    };
    const { submitQueue } = this.#state;
    const options: ActivityOptions = {
      summary: submitSummary(grant, this.#clock.now),
      ...(submitQueue !== undefined && {
        taskQueue: submitQueue,
        scheduleToStartTimeout: NOT_POLLED_MS,
      }),
    };
    return submit.executeWithOptions(options, [request, this.#reference]).catch(toSubmitResult);
  }

  /** Refused repeatedly while others pass: the row is the reason, and it fails with the message of the service. */
  #judgeRefusal({ request }: Grant, result: SubmitResult): SubmitResult {
    if (result.type !== 'notNow' || result.reason !== 'blocked') return result;
    if (!isRowRejected(this.#state, request, this.#clock.now)) return result;
    return { type: 'refused', status: 0, message: result.message };
  }

  /** Those that have ended, or whose rows were withdrawn. */
  #leaveLookUps(): void {
    for (const [key, { scope, isOver }] of this.#settling) {
      if (key in this.#state.unsettled) continue;
      if (isOver) this.#settling.delete(key);
      else scope.cancel();
    }
  }

  /** The look-ups of a run that continues as new end with it: the next run asks again. */
  #settleSubmissions(): void {
    this.#leaveLookUps();
    for (const [key, one] of Object.entries(this.#state.unsettled)) {
      if (this.#settling.has(key)) continue;
      const scope = new CancellationScope();
      const settling = { scope, request: one.request, isOver: false };
      this.#settling.set(key, settling);
      void scope.run(() => this.#settle(settling, one));
    }
  }

  async #settle(settling: Settling, { request, result }: Unsettled): Promise<void> {
    const { item, run, job } = request;
    const { policy } = this.#state;
    const full = { ...request, notBefore: 0, readIn: this.#run, probe: false, policy };
    const options = withToken(`whether the service has job ${job.id}`, job.launch);
    const settlement = await settleSubmission
      .executeWithOptions(options, [full, this.#reference, result])
      .catch((error: unknown) => {
        log.warn('the look-up of a submission was given up', { item, error: String(error) });
        return { type: 'ended' } as const;
      });
    settling.isOver = true;
    this.take({ type: 'settled', item, run, settlement });
    this.#reportWithdrawn();
  }

  /** To cancelled campaigns: nothing of theirs starts from now on. */
  #reportWithdrawn(): void {
    const isUnderWay = ({ campaign, run }: CampaignRun): boolean =>
      [...this.#underWay, ...[...this.#settling.values()].filter(({ isOver }) => !isOver)].some(
        ({ request }) => request.campaign === campaign && request.run === run,
      );
    const gone = this.#leaving.filter((one) => !isUnderWay(one));
    this.#leaving = this.#leaving.filter((one) => !gone.includes(one));
    const { service, address } = this.#input;
    for (const { campaign } of gone) this.#answer(campaign, { service, address });
  }

  #answer(campaign: string, answer: LaneName | TakenBack): void {
    const summary = `answer the campaign ${campaign}`;
    const report = () => reportToCampaign.executeWithOptions({ summary }, [campaign, answer]);
    // Also at the end of a look-up that was cancelled.
    this.#track(CancellationScope.nonCancellable(report));
  }

  /** In the task that removes them, so that the answer cannot be lost alone. */
  #giveBack(): void {
    const { service, address } = this.#input;
    for (const asked of this.#takeBacks.splice(0)) {
      const { campaign, token } = asked;
      const ids = takeBack(this.#state.queue, asked);
      this.#answer(campaign, { service, address, token, ids });
    }
  }

  /** Once each time that the service begins to refuse us, and not for short refusals. */
  #reportRefusal(): void {
    const { block } = this.#state;
    const { refusesSince: since, reason: message, told } = block;
    if (since === null || told || this.#clock.now - since < NOTIFY_AFTER_MS) return;
    block.told = true;
    const { service, address } = this.#input;
    const notice = { service, address, since: new Date(since).toISOString(), message };
    const summary = 'notify that the service refuses requests';
    const sent = notifyRefusal.executeWithOptions({ summary }, [notice]).catch((error: unknown) => {
      log.warn('the notification of a refusal failed', { error: String(error) });
    });
    this.#track(sent);
  }

  /** `opensAt`: what it wakes a little ahead of. */
  #wakeBy(at: number, opensAt: number): void {
    if (this.#timerAt !== null && this.#timerAt <= at) return;
    this.#timerAt = at;
    void this.#sleepUntil(at, formatTimerSummary(this.#state.block, opensAt, this.#clock.now));
  }

  async #sleepUntil(at: number, summary: string): Promise<void> {
    await sleep(Math.max(1, at - this.#clock.now), { summary });
    if (this.#timerAt === at) this.#timerAt = null;
    this.#clock.reaches(at);
    this.#woken = true;
  }

  #snapshot(): BudgetSnapshot {
    return createSnapshot(this.#input, this.#state, this.#clock.now, this.#wakeAt);
  }

  /** Updates the memo. */
  #show(): void {
    const snapshot = this.#snapshot();
    const { at: _, ...rest } = snapshot;
    const text = JSON.stringify(rest);
    if (text === this.#written) return;
    this.#written = text;
    upsertMemo({ [STATUS_MEMO]: snapshot });
  }

  /** Without `memo`, the next run would have that of the start of this one. */
  #continueAsNew(): Promise<never> {
    limitQueue(this.#state.queue);
    const { former: _, configuration: __, ...input } = this.#input;
    const memo = { [STATUS_MEMO]: this.#snapshot() };
    const next = makeContinueAsNewFunc<Workflow>({ memo, ...toCurrentVersion() });
    return next({ ...input, carried: this.#state, clock: this.#clock.carried() });
  }
}

/** A start by hand says nothing of the run before: what it has charged is unknown. */
function toFormer({ former }: BudgetInput): FormerBudget | null {
  if (former !== undefined) return former;
  return { run: '', reason: 'its workflow was started by hand', written: null };
}

/** What is known about a POST whose activity did not return. */
function toSubmitResult(error: unknown): SubmitResult {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') {
    // There was a heartbeat, so an attempt had begun: it may have sent the job.
    if (cause.lastHeartbeatDetails !== undefined)
      return { type: 'unsure', message: 'the worker died during the submission' };
    const message = 'no worker with this token accepted the submission';
    const notNow = { type: 'notNow', reason: 'unavailable', retryAfterMs: null } as const;
    return { ...notNow, message, rateLimit: null };
  }
  if (isCancellation(error)) return { type: 'unsure', message: 'cancelled during the submission' };
  const message =
    cause instanceof ApplicationFailure ? cause.message : 'the worker died during the submission';
  return { type: 'unsure', message };
}
