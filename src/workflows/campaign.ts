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
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  CampaignPlan,
  CampaignProgress,
  FeedPlan,
  ItemEnd,
  ItemEntry,
} from '../domain/campaign.ts';
import type { Kind } from '../domain/item.ts';
import type { CampaignState, FinalState } from '../domain/states.ts';
import { conclude, findEnded, publish } from './activity-options.ts';
import { tellBudget } from './ask-budget.ts';
import { EndedItems } from './ended-items.ts';
import { Feed } from './feed.ts';
import {
  growSignal,
  itemDoneSignal,
  pauseLaneSignal,
  pauseSignal,
  progressQuery,
  resumeSignal,
  type CampaignCarried,
  type CampaignInput,
  type FeedCarried,
  type Grown,
  type ItemDone,
} from './messages.ts';
import { itemWorkflowId } from './names.ts';
import { ATTRIBUTES } from './search-attributes.ts';

/** How often the open items are compared with what really runs: finds those ended by hand. */
const SWEEP_EVERY = '10 minutes';

export async function campaign(input: CampaignInput): Promise<CampaignProgress> {
  const run = new CampaignRun(input);
  setHandler(itemDoneSignal, (done) => run.itemDone(done));
  setHandler(growSignal, (grown) => run.grow(grown));
  setHandler(pauseSignal, () => run.pause(true));
  setHandler(resumeSignal, () => run.pause(false));
  setHandler(progressQuery, () => run.progress());
  return run.run();
}

class CampaignRun {
  private plan: CampaignPlan;
  private readonly feeds: Feed[];
  /** Times that rows were added. */
  private growths = 0;
  private readonly startedAt: number;
  private readonly ended: Record<FinalState, number>;
  private readonly failuresByCode: Record<string, number>;
  private readonly endedItems: EndedItems;
  private state: CampaignState;

  constructor({ plan, carried }: CampaignInput) {
    this.plan = plan;
    this.feeds = plan.feeds.map((feed, i) => this.feedOf(feed, carried?.feeds[i]));
    this.startedAt = carried?.startedAt ?? Date.now();
    const none = { ...NONE_ENDED, invalid: plan.invalid ?? 0 };
    this.ended = { ...(carried?.progress.ended ?? none) };
    this.failuresByCode = { ...carried?.progress.failuresByCode };
    this.endedItems = new EndedItems(carried?.progress);
    this.state = carried?.progress.state ?? 'running';
  }

  async run(): Promise<CampaignProgress> {
    try {
      this.show(this.state);
      void this.keepSweeping();
      do {
        await this.work();
      } while (await this.goesOn());
      return this.progress();
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await CancellationScope.nonCancellable(() => this.cancelOpen());
      await CancellationScope.nonCancellable(() => this.publish('cancelled'));
      return this.progress();
    }
  }

  /** Publishes; true when rows were added meanwhile, which have to be run yet. */
  private async goesOn(): Promise<boolean> {
    const { growths } = this;
    const open = await this.publish('completed');
    if (open === 0 && this.growths === growths) return false;
    // New rows stand in the tree before we are told of them.
    if (await condition(() => this.growths > growths, '1 minute')) {
      this.show('running');
      return true;
    }
    // Started again by hand, the campaign finds them: nothing is lost, and nothing hidden.
    throw ApplicationFailure.nonRetryable(`${open} items have no end`, 'ITEMS_OPEN');
  }

  /** Rows may be added until the end, and for services that had none so far. */
  async grow({ items, following, invalid, feeds }: Grown): Promise<void> {
    this.ended.invalid = invalid;
    let grew = items !== this.plan.items;
    for (const feed of feeds) {
      const known = this.feeds.find(
        ({ plan }) => plan.reference.service === feed.reference.service,
      );
      grew ||= feed.pages > (known?.plan.pages ?? 0);
      if (known) known.extend(feed.pages);
      else this.feeds.push(this.feedOf(feed));
    }
    const all = (this.plan.following ?? 0) + following;
    // What a run that continues as new is given.
    const plans = this.feeds.map(({ plan }) => plan);
    this.plan = { ...this.plan, items, following: all, feeds: plans };
    // Told once more of what it knows: by whoever joins, because the one who added rows may not have lived to tell.
    if (grew) this.growths += 1;
    // The budget of a service that it did not use so far has to be told as well.
    if (this.state === 'paused') await this.pause(true);
  }

  itemDone({ id, ...end }: ItemDone): void {
    const feed = this.feeds.find(({ open }) => open.has(id));
    const kind = feed?.open.get(id)?.kind;
    // An item may report twice, after a retry of its signal; it counts once.
    if (!feed || !kind) return;
    feed.open.delete(id);
    this.count(kind, end);
    this.endedItems.add({ id, kind, at: Date.now(), ...end });
  }

  async pause(paused: boolean): Promise<void> {
    this.show(paused ? 'paused' : 'running');
    const lane = { campaign: this.plan.name, paused };
    for (const { plan } of this.feeds) await tellBudget(plan.reference, pauseLaneSignal, lane);
  }

  progress(): CampaignProgress {
    const openKinds = this.feeds.flatMap(({ open }) => Array.from(open.values(), (i) => i.kind));
    return {
      campaign: this.plan.name,
      state: this.state,
      total: this.plan.items,
      open: this.feeds.reduce((sum, { open }) => sum + open.size, 0),
      following: this.plan.following ?? 0,
      ended: { ...this.ended },
      failuresByCode: { ...this.failuresByCode },
      ...this.endedItems.progress(openKinds),
    };
  }

  /** Starts items while there is room, until all have ended. */
  private async work(): Promise<void> {
    for (;;) {
      // Before: rows of another service may be added while those of this one are started.
      const { growths } = this;
      await Promise.all(this.feeds.map((feed) => feed.fill()));
      if (this.feeds.every(({ exhausted, open }) => exhausted && open.size === 0)) return;
      if (workflowInfo().continueAsNewSuggested) await this.continue();
      const before = this.endedCount();
      await condition(() => this.endedCount() > before || this.growths > growths);
      setCurrentDetails(this.details());
    }
  }

  /** Until the campaign ends or is cancelled. */
  private async keepSweeping(): Promise<void> {
    try {
      for (;;) {
        await sleep(SWEEP_EVERY, { summary: 'look for items that were ended by hand' });
        await this.sweepOpen();
      }
    } catch (error) {
      if (!isCancellation(error)) throw error;
    }
  }

  /** Items that somebody ended by hand report nothing: they are found here and concluded as failed. */
  private async sweepOpen(): Promise<void> {
    for (const feed of this.feeds) {
      for (const id of await findEnded(this.plan.name, [...feed.open.keys()])) {
        const entry = feed.open.get(id);
        // Its own signal may have come in meanwhile.
        if (entry) await this.concludeByHand(feed, entry);
      }
    }
  }

  private async concludeByHand({ plan }: Feed, entry: ItemEntry): Promise<void> {
    const message = 'its workflow was ended by hand before the item had ended';
    const end: ItemEnd = { state: 'failed', code: 'ITEM_ENDED_BY_HAND', message };
    await conclude({
      item: { ...entry, campaign: this.plan.name, store: this.plan.store },
      reference: plan.reference,
      end,
      remoteId: null,
      attempts: [],
      files: [],
      submittedAt: null,
      finishedAt: new Date().toISOString(),
      timing: null,
    });
    this.itemDone({ id: entry.id, ...end });
  }

  private async cancelOpen(): Promise<void> {
    await condition(() => this.feeds.every(({ starting }) => starting === 0));
    for (const { open } of this.feeds) {
      for (const id of open.keys()) {
        try {
          await getExternalWorkflowHandle(itemWorkflowId(this.plan.name, id)).cancel();
        } catch (error) {
          // It has ended meanwhile; its signal may have been lost with an earlier run. `publish` looks at the tree.
          log.info('an item that is not running was not cancelled', { id, error: String(error) });
          open.delete(id);
        }
      }
    }
    const ended = () => this.feeds.every(({ open }) => open.size === 0);
    while (!(await condition(ended, '1 minute'))) await this.sweepOpen();
  }

  /** Returns how many items have no end yet. */
  private async publish(state: 'completed' | 'cancelled'): Promise<number> {
    this.show('publishing');
    const { store, name, retried = 0, cache = true } = this.plan;
    const startedAt = new Date(this.startedAt).toISOString();
    const { ended, open = 0 } = await publish({
      store,
      campaign: name,
      state,
      startedAt,
      retried,
      cache,
    });
    // The tree is the truth: it also knows the rows that no workflow was started for.
    Object.assign(this.ended, ended);
    this.plan = { ...this.plan, following: 0 };
    if (open === 0) this.show(state);
    return open;
  }

  private async continue(): Promise<never> {
    await condition(allHandlersFinished);
    // Taken last, with nothing awaited after it: an end that comes in while we wait must be in it.
    const carried: CampaignCarried = {
      feeds: this.feeds.map((feed) => feed.carried()),
      progress: this.progress(),
      startedAt: this.startedAt,
    };
    return continueAsNew<typeof campaign>({ plan: this.plan, carried });
  }

  private feedOf(plan: FeedPlan, carried?: FeedCarried): Feed {
    return new Feed(this.plan, plan, carried, (kind, end) => this.count(kind, end));
  }

  private count(kind: Kind, { state, code }: Pick<ItemEnd, 'state' | 'code'>): void {
    this.ended[state] += 1;
    this.endedItems.count(kind, state);
    if (code) this.failuresByCode[code] = (this.failuresByCode[code] ?? 0) + 1;
  }

  private endedCount(): number {
    return Object.values(this.ended).reduce((sum, n) => sum + n, 0);
  }

  private show(state: CampaignState): void {
    this.state = state;
    upsertSearchAttributes([{ key: ATTRIBUTES.state, value: state }]);
    setCurrentDetails(this.details());
  }

  /** Markdown for the Temporal UI. */
  private details(): string {
    const { ended, open, total } = this.progress();
    const states = Object.entries(ended).filter(([, n]) => n > 0);
    const codes = Object.entries(this.failuresByCode);
    return [
      `**${this.plan.name}**: ${this.endedCount()} of ${total} ended, ${open} open`,
      '',
      '| state | items |',
      '| --- | --- |',
      ...states.map(([state, n]) => `| ${state} | ${n} |`),
      ...(codes.length > 0 ? ['', '| failed with | items |', '| --- | --- |'] : []),
      ...codes.map(([code, n]) => `| ${code} | ${n} |`),
    ].join('\n');
  }
}

const NONE_ENDED: Readonly<Record<FinalState, number>> = {
  succeeded: 0,
  failed: 0,
  held: 0,
  cancelled: 0,
  invalid: 0,
};
