/**
 * A campaign: begins the rows of each service while there is room (feed.ts), counts the ends that they report, and
 * publishes the tables and checksums when the last one has ended.
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
  log,
  makeContinueAsNewFunc,
  setHandler,
  upsertMemo,
} from '@temporalio/workflow';
import {
  QUIET_MS,
  type CampaignProgress,
  type CampaignSpec,
  type FeedSpec,
  type ItemEnd,
  type ItemEntry,
  type PausedService,
  type ServiceReference,
  type ServiceName,
} from '../domain/campaign.ts';
import type { ToldEngine } from '../domain/engines.ts';
import {
  isOutdated,
  notify,
  notifyRefusal,
  publish,
  shouldContinueAsNew,
  signalBudget,
  toCurrentVersion,
} from './activity-options.ts';
import { Breaker, endWhenQuiet } from './breaker.ts';
import { ProgressTally, ShownProgress, type Shown } from './campaign-progress.ts';
import { formatClock } from './details.ts';
import { Feed } from './feed.ts';
import { explain } from './item.ts';
import {
  acceptedSignal,
  belongsSignal,
  giveUpSignal,
  growSignal,
  itemDoneSignal,
  recheckSignal,
  nudgeSignal,
  pauseLineSignal,
  pauseSignal,
  resumeSignal,
  tokenSignal,
  takenBackSignal,
  withdrawnSignal,
  type CampaignCarried,
  type CampaignInput,
  type FeedCarried,
  type GivenUp,
  type Grown,
  type ItemDone,
  type LaneName,
  type TakenBack,
} from './messages.ts';

const CHECK_INTERVAL_MS = 10 * 60_000;
const MAX_EARLY_CARRIED = 100;

export async function campaign(input: CampaignInput): Promise<CampaignProgress> {
  const run = new CampaignRun(input);
  setHandler(itemDoneSignal, (done) => run.itemDone(done));
  setHandler(acceptedSignal, ({ id }) => run.accepted(id));
  setHandler(giveUpSignal, (given) => run.givenUp(given));
  setHandler(withdrawnSignal, (lane) => run.feedAt(lane)?.withdrawn());
  setHandler(takenBackSignal, (answer) => run.takenBack(answer));
  setHandler(belongsSignal, ({ id, address }) => run.belongs(id, address));
  setHandler(tokenSignal, (reference) => run.useToken(reference));
  setHandler(recheckSignal, () => run.checkNow());
  setHandler(nudgeSignal, () => undefined);
  setHandler(growSignal, (grown) => run.grow(grown));
  setHandler(pauseSignal, () => run.pause());
  setHandler(resumeSignal, (service) => run.resume(service));
  return run.run();
}

class CampaignRun implements Shown {
  spec: CampaignSpec;
  readonly feeds: Feed[];
  startedAt: number;
  readonly tally: ProgressTally;
  readonly breaker: Breaker;
  readonly #progress: ShownProgress;
  /** Messages after which there may be room for more rows. */
  #changes = 0;
  /** Ends of rows that were not begun here: of items that a terminated campaign has left running. */
  readonly #early: Map<string, ItemDone>;
  /** Times that rows were added. */
  #growths = 0;
  /** When the open items are checked next (ms); 0: now. */
  #checkAt: number;
  #isChecking = false;
  /** What the budgets know: whether the campaign is paused there. Not known of an earlier run. */
  readonly #toldPaused = new Map<string, boolean>();

  constructor({ spec, carried }: CampaignInput) {
    this.spec = spec;
    this.tally = new ProgressTally(carried?.progress ?? { ended: { invalid: spec.invalid } });
    this.breaker = new Breaker(spec.policy.sameFailures, carried?.breaker);
    this.#early = new Map(carried?.early?.map((end) => [end.id, end]));
    this.feeds = [];
    for (const [i, feed] of spec.feeds.entries()) this.#addFeed(feed, carried?.feeds[i]);
    this.startedAt = carried?.startedAt ?? Date.now();
    this.#checkAt = carried?.checkAt ?? Date.now() + CHECK_INTERVAL_MS;
    this.#progress = new ShownProgress(this, carried?.progress.state ?? 'running');
    if (!carried) for (const { lane } of this.feeds) this.#toldPaused.set(lane, false);
  }

  async run(): Promise<CampaignProgress> {
    try {
      void this.#progress.keepMemo();
      this.#progress.show(this.#progress.state);
      void this.#keepChecking();
      void this.#keepPauses();
      this.#watchFirstRows();
      await this.#waitForStart();
      do {
        await this.#work();
      } while (await this.#goesOn());
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await CancellationScope.nonCancellable(() => this.#cancelItems());
      await CancellationScope.nonCancellable(() => this.#publish('cancelled'));
    }
    // A notification of a pause may not have been sent yet, and comes before that of the end.
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
    // A cancellation comes too late now: the end is published.
    this.#progress.unnotified = await CancellationScope.nonCancellable(() => notifyEnd(this.spec));
    return this.#progress.current;
  }

  /**
   * Until `run --at`. By its own timer, because the start delay of Temporal ends with the first signal, which may be that
   * of the same command typed again.
   */
  async #waitForStart(): Promise<void> {
    const { startsAt } = this.spec;
    if (startsAt === undefined) return;
    const summary = `starts ${formatClock(startsAt, Date.now())}`;
    const isOver = () => this.spec.startsAt === undefined || shouldContinueAsNew();
    const waitMs = startsAt - Date.now();
    if (waitMs > 0 && (await condition(isOver, waitMs, { summary })) && this.spec.startsAt)
      await this.#continue();
    this.#begin();
    this.startedAt = Date.now();
    this.#progress.show(this.#progress.state);
  }

  #begin(): void {
    const { startsAt: _, ...spec } = this.spec;
    this.spec = spec;
  }

  /** Begins rows while there is room, until all have ended. */
  async #work(): Promise<void> {
    for (;;) {
      // Read first, because the items of one service may end while those of another are started.
      const changes = this.#changes;
      await Promise.all(this.feeds.map((feed) => feed.fill()));
      if (this.feeds.every(({ hasEnded }) => hasEnded)) return;
      if (shouldContinueAsNew()) await this.#continue();
      if (this.#progress.state === 'running')
        await Promise.all(this.feeds.map((feed) => feed.askOthers()));
      await this.#waitForChange(() => this.#changes > changes || isOutdated());
      this.#progress.showDetails();
    }
  }

  /** A lane without rows of its own looks again after a while whether another cannot send its rows. */
  async #waitForChange(isThere: () => boolean): Promise<void> {
    const summary = 'until a lane looks for rows of another';
    const asks = this.feeds.flatMap(({ asksAt }) => asksAt ?? []);
    if (asks.length > 0 && this.#progress.state === 'running')
      await condition(isThere, Math.min(...asks) - Date.now(), { summary });
    else await condition(isThere);
  }

  /** Publishes; true if rows were added meanwhile, which still have to run. */
  async #goesOn(): Promise<boolean> {
    const growths = this.#growths;
    const open = await this.#publish('completed');
    if (open === 0 && this.#growths === growths) return false;
    // New rows are in the tree before their signal arrives.
    const summary = 'for rows that were added';
    if (await condition(() => this.#growths > growths, '1 minute', { summary })) {
      this.#progress.show('running');
      return true;
    }
    // If the user starts the campaign again, it finds them: nothing is lost or hidden.
    throw ApplicationFailure.nonRetryable(`${open} items have no end`, 'ITEMS_OPEN');
  }

  /** With a notification, it ends after that: a run that continues as new or ends before would lose it. */
  async itemDone(done: ItemDone): Promise<void> {
    const { id, computed, ...end } = done;
    const feed = this.#feedWith(id);
    const entry = feed?.open.get(id);
    // An item may report twice, after a retry of its signal; it counts once.
    if (!feed || !entry) {
      // If no row is unread, it is one that was counted.
      if (this.feeds.some(({ hasUnread }) => hasUnread)) this.#early.set(id, done);
      return;
    }
    this.#early.delete(id);
    feed.ended(id);
    this.#changes += 1;
    this.tally.add({ id, kind: entry.kind, at: Date.now(), ...end });
    await this.#judge(feed, entry, end, computed);
  }

  async #judge(feed: Feed, entry: ItemEntry, end: ItemEnd, computed?: ToldEngine): Promise<void> {
    const paused: (PausedService | null)[] = [];
    // Without rows left, there is nothing to pause.
    if (!feed.hasEnded) {
      paused.push(this.breaker.add(feed.lane, entry, end));
      // An adopted job may be of any time.
      if (computed && !entry.adopted)
        paused.push(...this.breaker.compareEngines(feed.lanes, entry.kind, computed));
    }
    // The settings are right, in every lane.
    if (end.state === 'succeeded' && !entry.adopted)
      for (const { lane } of feed.lanes) this.breaker.endTrial(lane, entry.kind);
    this.#watchFirstRows();
    // The rest would fail, or differ, in the same way: the user decides whether to continue.
    for (const one of paused) if (one) await this.#notifyPause(feed, one);
  }

  async #notifyPause({ lanes }: Feed, paused: PausedService): Promise<void> {
    this.#progress.showDetails();
    const feed = lanes.find(({ lane }) => lane === paused.service);
    if (!feed) return;
    const { reference } = feed.spec;
    await CancellationScope.nonCancellable(() => notifyPause(this.spec, reference, paused));
  }

  /** One of the first rows of its kind has a job. */
  accepted(id: string): void {
    const feed = this.#feedWith(id);
    const entry = feed?.open.get(id);
    if (feed && entry) this.breaker.accept(feed.lane, entry.kind);
    this.#watchFirstRows();
  }

  #watchFirstRows(): void {
    const { quietMs = QUIET_MS } = this.spec.policy;
    for (const trial of this.breaker.takeUnwatched()) {
      const watching = () => endWhenQuiet(trial, quietMs);
      void CancellationScope.nonCancellable(watching).then(() => (this.#changes += 1));
    }
  }

  /** The job of an item is of no use: its row needs another one. For the breaker, one that its lane gives back has failed. */
  async givenUp({ id, back }: GivenUp): Promise<void> {
    const feed = this.#feedWith(id);
    const entry = feed?.open.get(id);
    this.#changes += 1;
    if (!back) return feed?.givenUp(id);
    if (!feed || !entry || !feed.givenBack(id, back) || !back.end) return;
    const lane = this.feedAt({ service: feed.service, address: back.givenBack.at(-1) ?? '' });
    await this.#judge(lane ?? feed, entry, back.end);
  }

  async takenBack(answer: TakenBack): Promise<void> {
    // The rows are withdrawn: there is nothing to move or to request any more.
    if (CancellationScope.current().consideredCancelled) return;
    // A cancellation in the same task must not fail the campaign.
    await CancellationScope.nonCancellable(async () => this.feedAt(answer)?.takenBack(answer));
    this.#changes += 1;
  }

  belongs(id: string, address: string): void {
    this.#feedWith(id)?.belongs(id, address);
    this.#changes += 1;
  }

  /** Rows may be added until the end, and for services that had none so far. */
  async grow({ items, invalid, following, feeds: added }: Grown): Promise<void> {
    const moving: Promise<void>[] = [];
    this.tally.ended.invalid = invalid;
    // Commands that join repeat the signal, because the command that added the rows may have died before sending it.
    let isNew = items !== this.spec.items;
    for (const spec of added) {
      const known = this.feedAt(spec.reference);
      isNew ||= spec.pages > (known?.spec.pages ?? 0);
      if (known) known.extend(spec.pages);
      else this.#addFeed(spec);
      // On a shared Temporal, a user must not pay for another.
      if (spec.fetchQueue === undefined) moving.push(this.useToken(spec.reference));
    }
    const feeds = this.feeds.map(({ spec }) => spec);
    if (feeds.length > this.spec.feeds.length)
      upsertMemo({ services: feeds.map(({ reference }) => reference) });
    this.spec = { ...this.spec, items, following: this.spec.following + following, feeds };
    if (isNew) this.#growths += 1;
    this.#changes += 1;
    // A run that continues as new before would not request its rows from another budget.
    await Promise.all(moving);
  }

  /** A service has another token now: its rows wait for the budget of that one. */
  async useToken(reference: ServiceReference): Promise<void> {
    const feed = this.feedAt(reference);
    if (!feed || !(await feed.useToken(reference))) return;
    // A budget that is new to the campaign does not know that it is paused.
    this.#toldPaused.set(feed.lane, false);
    const feeds = this.feeds.map((one) => one.spec);
    this.spec = { ...this.spec, feeds };
    upsertMemo({ services: feeds.map(({ reference }) => reference) });
    this.checkNow();
  }

  pause(): void {
    this.#progress.show('paused');
  }

  /** With one service that was paused because its items failed, or with all that is paused or was to start later. */
  resume(service?: ServiceName): void {
    this.breaker.release(service);
    this.#changes += 1;
    if (service !== undefined) return this.#progress.showDetails();
    this.#begin();
    this.#progress.show('running');
  }

  /**
   * Tells the budgets what is paused there, also those of services that are added meanwhile. One after the other: of two
   * signals in one task, the later may be delivered first.
   */
  async #keepPauses(): Promise<void> {
    const isPaused = (lane: string) =>
      this.#progress.state === 'paused' || this.breaker.paused.some((one) => one.service === lane);
    const isStale = ({ lane }: Feed) => this.#toldPaused.get(lane) !== isPaused(lane);
    // A campaign that is cancelled tells the last change nevertheless.
    await CancellationScope.nonCancellable(async () => {
      for (;;) {
        await condition(() => this.feeds.some(isStale));
        for (const { spec, lane } of this.feeds.filter(isStale)) {
          const paused = isPaused(lane);
          await signalBudget(spec, pauseLineSignal, { campaign: this.spec.name, paused });
          this.#toldPaused.set(lane, paused);
        }
      }
    });
  }

  /** From the watchdog: a budget was restarted, and may not know all requests. */
  checkNow(): void {
    this.#checkAt = 0;
  }

  /** Items whose workflow was terminated report nothing, and a request may be lost with a budget. */
  async #keepChecking(): Promise<void> {
    try {
      for (;;) {
        const now = Date.now();
        const summary = `next check for terminated items ${formatClock(this.#checkAt, now)}`;
        const waitMs = this.#checkAt - now;
        if (waitMs > 0) await condition(() => this.#checkAt === 0, waitMs, { summary });
        // A request that comes meanwhile is for another one.
        this.#checkAt = Date.now() + CHECK_INTERVAL_MS;
        this.#isChecking = true;
        for (const feed of this.feeds) await feed.check(this.startedAt);
        this.#isChecking = false;
      }
    } catch (error) {
      if (!isCancellation(error)) throw error;
    }
  }

  /**
   * Waiting rows are withdrawn, and submissions in progress are waited for, because each may start an item. Rows without a
   * workflow get their end from `publish`.
   */
  async #cancelItems(): Promise<void> {
    await condition(() => this.feeds.every(({ isBusy }) => !isBusy));
    for (const feed of this.feeds) await feed.withdraw();
    const isWithdrawn = () => this.feeds.every((feed) => feed.isWithdrawn);
    if (!(await condition(isWithdrawn, '1 minute', { summary: 'for submissions in progress' })))
      log.warn('a budget did not confirm that no submission is in progress');
    const haveEnded = () => this.feeds.every(({ open }) => open.size === 0);
    const summary = 'for the last items to end';
    for (;;) {
      for (const feed of this.feeds) await feed.cancelRunning();
      if (await condition(haveEnded, '1 minute', { summary })) return;
    }
  }

  /** Returns how many items have no end yet. */
  async #publish(state: 'completed' | 'cancelled'): Promise<number> {
    this.#progress.show('publishing');
    const { store, tree, name, retried, cache, publishQueue } = this.spec;
    const options = {
      summary: 'tables, report and checksums',
      ...(publishQueue !== undefined && { taskQueue: publishQueue }),
    };
    const startedAt = new Date(this.startedAt).toISOString();
    const request = { store, campaign: name, state, retried, cache, tree, startedAt };
    const { ended, open } = await publish.executeWithOptions(options, [request]);
    // The tree is authoritative: it also contains the rows for which no workflow was started.
    Object.assign(this.tally.ended, ended);
    this.spec = { ...this.spec, following: 0 };
    if (open === 0) this.#progress.show(state);
    return open;
  }

  async #continue(): Promise<never> {
    await condition(allHandlersFinished);
    // Last, with no await after it: it must include every end that arrives.
    const carried: CampaignCarried = {
      feeds: this.feeds.map((feed) => feed.carried()),
      progress: this.#progress.current,
      startedAt: this.startedAt,
      // One that has not ended, or was requested just now, is for the next run.
      checkAt: this.#isChecking ? 0 : this.#checkAt,
      breaker: this.breaker.carried(),
      // An item closes a moment after it has told its end: the last are enough.
      early: [...this.#early.values()].slice(-MAX_EARLY_CARRIED),
    };
    const next = makeContinueAsNewFunc<typeof campaign>(toCurrentVersion());
    return next({ spec: this.spec, carried });
  }

  feedAt(lane: LaneName): Feed | undefined {
    return this.feeds.find((feed) => feed.isAt(lane));
  }

  #feedWith(id: string): Feed | undefined {
    return this.feeds.find(({ open }) => open.has(id));
  }

  #addFeed(spec: FeedSpec, carried?: FeedCarried): void {
    const [campaign, breaker, tally] = [this.spec, this.breaker, this.tally];
    const first = this.feeds.find(({ service }) => service === spec.reference.service);
    const onRunning = async (id: string): Promise<void> => {
      const end = this.#early.get(id);
      if (end) await this.itemDone(end);
    };
    this.feeds.push(new Feed({ campaign, spec, carried, breaker, tally, first, onRunning }));
  }
}

/** Returns why the notification failed, in a sentence. Does nothing if none is configured. */
async function notifyEnd({ notify: isConfigured, store }: CampaignSpec): Promise<string[]> {
  if (!isConfigured) return [];
  const summary = 'notify the webhook of the end';
  const reason = await explainNotSent(notify.executeWithOptions({ summary }, [store]), summary);
  return reason === null ? [] : [reason];
}

/** The campaign has paused a service. */
async function notifyPause(
  { notify: isConfigured, name }: CampaignSpec,
  { service, address }: ServiceReference,
  { code, message, times }: PausedService,
): Promise<void> {
  if (!isConfigured) return;
  const reason = `${code}: ${message}`;
  const words = times === undefined ? reason : `${times} items failed with ${reason}`;
  const since = new Date(Date.now()).toISOString();
  const notice = { service, address, since, message: words, campaign: name };
  const summary = `notify that ${service} is paused`;
  await explainNotSent(notifyRefusal.executeWithOptions({ summary }, [notice]), summary);
}

async function explainNotSent(sending: Promise<void>, what: string): Promise<string | null> {
  try {
    await sending;
    return null;
  } catch (error) {
    const { message } = explain(error);
    log.warn('a notification failed', { what, reason: message });
    return message;
  }
}
