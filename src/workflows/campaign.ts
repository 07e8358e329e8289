/**
 * A campaign: has its feeds start the items, counts the ends that they report, and publishes the tables and
 * checksums when the last one has ended.
 *
 * It may run for weeks: it continues as new, and carries the *set* of open items along, because the end of an
 * item that was started by an earlier run reaches this one only as a signal.
 */
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { HandlerUnfinishedPolicy } from '@temporalio/common';
import {
  QUIET_MS,
  type CampaignProgress,
  type CampaignSpec,
  type FeedSpec,
  type SameFailures,
} from '../domain/campaign.ts';
import type { ServiceName } from '../domain/item.ts';
import type { CampaignState } from '../domain/states.ts';
import { addRows, Feed } from './feed.ts';
import { campaignDetails } from './details/campaign.ts';
import { Breaker, type Trial } from './breaker.ts';
import {
  reasonToPause,
  progressOf,
  ProgressTally,
  WrittenProgress,
  type CampaignParts,
} from './campaign-progress.ts';
import { cancelOpen, LanePauses } from './pause-and-cancel.ts';
import {
  acceptedSignal,
  giveUpSignal,
  growSignal,
  itemDoneSignal,
  lookSignal,
  nudgeSignal,
  pauseSignal,
  resumeSignal,
  takenSignal,
  withdrawnSignal,
  type CampaignCarried,
  type CampaignInput,
  type FeedCarried,
  type Grown,
  type ItemDone,
  type TakenFromQueue,
} from './messages.ts';
import { publishEnd, notifyEnd, notifyPause } from './campaign-end.ts';
import { ATTRIBUTES } from './search-attributes.ts';
import { Sweeper } from './sweep.ts';
import { isOutdated, shouldContinueAsNew, toCurrentVersion } from './upgrade.ts';

export async function campaign(input: CampaignInput): Promise<CampaignProgress> {
  const run = new CampaignRun(input);
  setHandler(itemDoneSignal, (ends) => {
    for (const done of ends) run.itemDone(done);
  });
  setHandler(acceptedSignal, ({ id }) => run.accepted(id));
  setHandler(giveUpSignal, (id) => run.givenUp(id));
  setHandler(takenSignal, (taken) => run.taken(taken));
  setHandler(withdrawnSignal, (service) => run.withdrawn(service));
  // A campaign that ends while it checks its items needs no answer: without this, the worker logs a warning.
  const { ABANDON } = HandlerUnfinishedPolicy;
  setHandler(lookSignal, () => run.sweepOnRequest(), { unfinishedPolicy: ABANDON });
  setHandler(nudgeSignal, () => undefined);
  setHandler(growSignal, (grown) => run.grow(grown));
  setHandler(pauseSignal, () => run.pause(true));
  setHandler(resumeSignal, (service) => run.resume(service));
  return run.run();
}

class CampaignRun {
  #spec: CampaignSpec;
  readonly #feeds: Feed[];
  /** Times that rows were added. */
  #growths = 0;
  /** How often a budget has reported grants, or the bound of a kind has ended. */
  #openings = 0;
  /** Kinds whose first rows are watched. */
  readonly #watched = new Set<Trial>();
  readonly #startedAt: number;
  readonly #tally: ProgressTally;
  readonly #breaker: Breaker;
  #state: CampaignState;
  #unnotified: readonly string[] = [];
  /** Services whose budgets have confirmed that nothing of the cancelled campaign waits there. */
  readonly #withdrawnFrom = new Set<ServiceName>();
  readonly #pauses: LanePauses;
  readonly #sweeper: Sweeper;
  readonly #written = new WrittenProgress(() => this.#parts());

  constructor({ spec, carried }: CampaignInput) {
    this.#spec = spec;
    this.#tally = new ProgressTally(carried?.progress ?? { ended: { invalid: spec.invalid } });
    this.#breaker = new Breaker(spec.policy.sameFailures, carried?.breaker);
    this.#feeds = spec.feeds.map((feed, i) => this.#feedOf(feed, carried?.feeds[i]));
    this.#startedAt = carried?.startedAt ?? Date.now();
    this.#state = carried?.progress.state ?? 'running';
    this.#pauses = new LanePauses(spec.name);
    this.#sweeper = new Sweeper({
      parts: () => this.#parts(),
      startedAt: this.#startedAt,
      onDone: (done) => this.itemDone(done),
    });
  }

  async run(): Promise<CampaignProgress> {
    try {
      void this.#written.keep();
      this.#show(this.#state);
      void this.#sweeper.keep();
      this.#watchFirstRows();
      do {
        await this.#work();
      } while (await this.#goesOn());
      await this.#notifyEnd();
      return this.progress();
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await CancellationScope.nonCancellable(() => this.#cancelItems());
      await CancellationScope.nonCancellable(() => this.#publish('cancelled'));
      await this.#notifyEnd();
      return this.progress();
    }
  }

  /** Publishes; true if rows were added meanwhile, which still have to run. */
  async #goesOn(): Promise<boolean> {
    const growths = this.#growths;
    const open = await this.#publish('completed');
    if (open === 0 && this.#growths === growths) return false;
    // New rows are in the tree before their signal arrives.
    const summary = 'for rows that were added';
    if (await condition(() => this.#growths > growths, '1 minute', { summary })) {
      this.#show('running');
      return true;
    }
    // If the user starts the campaign again, it finds them: nothing is lost or hidden.
    throw ApplicationFailure.nonRetryable(`${open} items have no end`, 'ITEMS_OPEN');
  }

  /** Rows may be added until the end, and for services that had none so far. */
  async grow(grown: Grown): Promise<void> {
    this.#tally.ended.invalid = grown.invalid;
    const feedOf = (feed: FeedSpec): Feed => this.#feedOf(feed);
    const { spec, grew } = addRows(grown, { spec: this.#spec, feeds: this.#feeds, feedOf });
    this.#spec = spec;
    // Commands that join repeat the signal, because the command that added the rows may have died before sending it.
    if (grew) this.#growths += 1;
    // The budget of a newly used service must be paused as well.
    if (this.#state === 'paused') await this.pause(true);
  }

  itemDone({ id, ...end }: ItemDone): void {
    const feed = this.#feeds.find(({ open }) => open.has(id));
    const entry = feed?.open.get(id);
    // An item may report twice, after a retry of its signal; it counts once.
    if (!feed || !entry) return;
    feed.ended(id);
    this.#tally.add({ id, kind: entry.kind, at: Date.now(), ...end });
    const same = reasonToPause(this.#breaker, { feed, entry, end });
    if (same) void this.#stopAt(feed.spec, same);
    this.#watchFirstRows();
  }

  /** One of the first rows of its kind has a job. */
  accepted(id: string): void {
    const feed = this.#feeds.find(({ open }) => open.has(id));
    const kind = feed?.open.get(id)?.kind;
    if (!feed || !kind) return;
    this.#breaker.accept(feed.spec.reference.service, kind);
    this.#watchFirstRows();
  }

  #watchFirstRows(): void {
    for (const trial of this.#breaker.answered) {
      if (this.#watched.has(trial)) continue;
      this.#watched.add(trial);
      void CancellationScope.nonCancellable(() => this.#endTrialWhenQuiet(trial));
    }
  }

  /** Wrong settings fail sooner, and slow jobs are no reason to wait. */
  async #endTrialWhenQuiet(trial: Trial): Promise<void> {
    const { quietMs = QUIET_MS } = this.#spec.policy;
    const summary = `whether the first rows of kind ${trial.kind} fail`;
    while (!trial.isOver) {
      const { failed } = trial;
      const isStirred = () => trial.isOver || trial.failed !== failed;
      if (!(await condition(isStirred, quietMs, { summary }))) trial.isOver = true;
    }
    this.#openings += 1;
  }

  /** The job of an item is of no use: its row requests another one. */
  async givenUp(id: string): Promise<void> {
    await this.#feeds.find(({ open }) => open.has(id))?.givenUp(id);
  }

  /** The budget of a service has granted requests: there is room for more. */
  taken({ service, ...taken }: TakenFromQueue): void {
    this.#feeds.find(({ spec }) => spec.reference.service === service)?.taken(taken);
    this.#openings += 1;
  }

  /** The rest would fail in the same way: the user decides whether to continue. */
  async #stopAt(feed: FeedSpec, same: SameFailures): Promise<void> {
    this.#showDetails();
    await this.#pauses.send(feed, true);
    await notifyPause(this.#spec, feed.reference, same);
  }

  /** With one service that was paused because its items failed, or with all that is paused. */
  async resume(service?: ServiceName): Promise<void> {
    this.#breaker.release(service);
    this.#openings += 1;
    if (service === undefined) return this.pause(false);
    this.#showDetails();
    const feed = this.#feeds.find(({ spec }) => spec.reference.service === service);
    if (feed && this.#state !== 'paused') await this.#pauses.send(feed.spec, false);
  }

  pause(paused: boolean): Promise<void> {
    this.#show(paused ? 'paused' : 'running');
    return this.#pauses.sendAll(this.#feeds, paused);
  }

  progress(): CampaignProgress {
    return progressOf(this.#parts());
  }

  #parts(): CampaignParts {
    return {
      spec: this.#spec,
      state: this.#state,
      feeds: this.#feeds,
      tally: this.#tally,
      breaker: this.#breaker,
      unnotified: this.#unnotified,
    };
  }

  /** Starts items while there is room, until all have ended. */
  async #work(): Promise<void> {
    for (;;) {
      // Read first, because the items of one service may end while those of another are started.
      const growths = this.#growths;
      const openings = this.#openings;
      const ends = this.#tally.total;
      await Promise.all(this.#feeds.map((feed) => feed.fill()));
      if (this.#feeds.every(({ hasEnded }) => hasEnded)) return;
      if (shouldContinueAsNew()) await this.#continue();
      const hasMore = () => this.#growths > growths || this.#openings > openings;
      await condition(() => this.#tally.total > ends || hasMore() || isOutdated());
      this.#showDetails();
    }
  }

  async #cancelItems(): Promise<void> {
    this.#sweeper.ignoreRequests();
    await cancelOpen(this.#spec, this.#feeds, this.#withdrawnFrom);
  }

  /** Nothing of this campaign waits in a budget any more. */
  withdrawn(service: ServiceName): void {
    this.#withdrawnFrom.add(service);
  }

  /** The watchdog has found rows that wait without a request, or terminated items. */
  sweepOnRequest(): Promise<void> {
    return this.#sweeper.sweepOnRequest();
  }

  /** Returns how many items have no end yet. */
  async #publish(state: 'completed' | 'cancelled'): Promise<number> {
    this.#show('publishing');
    const { ended, open } = await publishEnd(this.#spec, this.#startedAt, state);
    // The tree is authoritative: it also contains the rows for which no workflow was started.
    Object.assign(this.#tally.ended, ended);
    this.#spec = { ...this.#spec, following: 0 };
    if (open === 0) this.#show(state);
    return open;
  }

  /** A cancellation comes too late now: the end is published. */
  async #notifyEnd(): Promise<void> {
    this.#unnotified = await CancellationScope.nonCancellable(() => notifyEnd(this.#spec));
  }

  async #continue(): Promise<never> {
    await condition(allHandlersFinished);
    // Last, with no await after it: it must include every end that arrives.
    const carried: CampaignCarried = {
      feeds: this.#feeds.map((feed) => feed.carried()),
      progress: this.progress(),
      startedAt: this.#startedAt,
      breaker: this.#breaker.carried(),
    };
    const next = makeContinueAsNewFunc<typeof campaign>(toCurrentVersion());
    return next({ spec: this.#spec, carried });
  }

  #feedOf(spec: FeedSpec, carried?: FeedCarried): Feed {
    return new Feed({
      campaign: this.#spec,
      spec,
      carried,
      breaker: this.#breaker,
      onEnded: (kind, end) => this.#tally.count(kind, end),
    });
  }

  #show(state: CampaignState): void {
    this.#state = state;
    upsertSearchAttributes([{ key: ATTRIBUTES.state, value: state }]);
    this.#written.writeNow();
    this.#showDetails();
  }

  /** For the Temporal UI. */
  #showDetails(): void {
    const { store } = this.#spec;
    setCurrentDetails(
      campaignDetails({ progress: this.progress(), startedAt: this.#startedAt, store }),
    );
  }
}
