/**
 * A campaign: reads its items page by page and keeps a sliding window of item workflows open, one window for
 * each service so that a slow budget does not hold up the other service. When the last item has ended, it
 * publishes the tables and checksums.
 *
 * It may run for weeks: it continues as new, and carries the *set* of open items along, because the end of an
 * item that was started by an earlier run reaches this one only as a signal.
 */
import {
  allHandlersFinished,
  CancellationScope,
  ChildWorkflowCancellationType,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  sleep,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { CampaignPlan, CampaignProgress, FeedPlan, ItemEntry } from '../domain/campaign.ts';
import type { CampaignState, FinalState } from '../domain/states.ts';
import { conclude, findEnded, loadPage, publish } from './activity-options.ts';
import { askBudget } from './ask-budget.ts';
import { item } from './item.ts';
import {
  askSignal,
  itemDoneSignal,
  pauseLaneSignal,
  pauseSignal,
  progressQuery,
  resumeSignal,
  type CampaignCarried,
  type CampaignInput,
  type ItemDone,
  type ItemInput,
} from './messages.ts';
import { budgetWorkflowId, itemWorkflowId } from './names.ts';
import { ATTRIBUTES } from './search-attributes.ts';
import type { PageEntry } from './verbs.ts';

/** How often the open items are compared with what really runs: finds those ended by hand. */
const SWEEP_EVERY = '10 minutes';

export async function campaign(input: CampaignInput): Promise<CampaignProgress> {
  const run = new CampaignRun(input);
  setHandler(itemDoneSignal, (done) => run.itemDone(done));
  setHandler(pauseSignal, () => run.pause(true));
  setHandler(resumeSignal, () => run.pause(false));
  setHandler(progressQuery, () => run.progress());
  return run.run();
}

/** The items of one service: how far its pages are read, what is open. */
interface Feed {
  readonly plan: FeedPlan;
  page: number;
  /** Entries of the current page that were dealt with. */
  offset: number;
  entries: readonly PageEntry[] | null;
  readonly open: Set<string>;
}

class CampaignRun {
  private readonly plan: CampaignPlan;
  private readonly feeds: Feed[];
  private readonly startedAt: number;
  private readonly ended: Record<FinalState, number>;
  private readonly failuresByCode: Record<string, number>;
  private state: CampaignState;
  /** Items whose start the server has not confirmed yet. */
  private starting = 0;
  /** Kinds of the open items, to conclude those that were ended by hand. */
  private readonly kinds = new Map<string, ItemEntry>();

  constructor({ plan, carried }: CampaignInput) {
    this.plan = plan;
    this.feeds = plan.feeds.map((feed, i) => ({
      plan: feed,
      page: carried?.feeds[i]?.page ?? 0,
      offset: carried?.feeds[i]?.offset ?? 0,
      entries: null,
      open: new Set(carried?.feeds[i]?.open.map(({ id }) => id)),
    }));
    for (const feed of carried?.feeds ?? []) for (const e of feed.open) this.kinds.set(e.id, e);
    this.startedAt = carried?.startedAt ?? Date.now();
    this.ended = { ...(carried?.progress.ended ?? NONE_ENDED) };
    this.failuresByCode = { ...carried?.progress.failuresByCode };
    this.state = carried?.progress.state ?? 'running';
  }

  async run(): Promise<CampaignProgress> {
    try {
      await this.work();
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await CancellationScope.nonCancellable(() => this.cancelOpen());
      return CancellationScope.nonCancellable(() => this.publish('cancelled'));
    }
    return this.publish('completed');
  }

  itemDone({ id, state, code }: ItemDone): void {
    const feed = this.feeds.find(({ open }) => open.has(id));
    // An item may report twice, after a retry of its signal; it counts once.
    if (!feed) return;
    feed.open.delete(id);
    this.kinds.delete(id);
    this.count(state, code);
  }

  async pause(paused: boolean): Promise<void> {
    this.show(paused ? 'paused' : 'running');
    for (const { plan } of this.feeds) {
      await getExternalWorkflowHandle(budgetWorkflowId(plan.reference)).signal(pauseLaneSignal, {
        campaign: this.plan.name,
        paused,
      });
    }
  }

  progress(): CampaignProgress {
    return {
      campaign: this.plan.name,
      state: this.state,
      total: this.plan.items,
      open: this.feeds.reduce((sum, { open }) => sum + open.size, 0),
      ended: { ...this.ended },
      failuresByCode: { ...this.failuresByCode },
    };
  }

  /** Starts items while there is room, until all have ended. */
  private async work(): Promise<void> {
    this.show(this.state);
    void this.keepSweeping();
    for (;;) {
      await Promise.all(this.feeds.map((feed) => this.fill(feed)));
      if (this.feeds.every((feed) => exhausted(feed) && feed.open.size === 0)) return;
      if (workflowInfo().continueAsNewSuggested) await this.continue();
      const before = this.endedCount();
      await condition(() => this.endedCount() > before);
      setCurrentDetails(this.details());
    }
  }

  private async fill(feed: Feed): Promise<void> {
    while (feed.open.size < feed.plan.open && !exhausted(feed)) {
      if (workflowInfo().continueAsNewSuggested) return;
      if (feed.entries === null) {
        feed.entries = await loadPage(this.plan.store, feed.plan.reference, feed.page);
      }
      const room = feed.plan.open - feed.open.size;
      const next = feed.entries.slice(feed.offset, feed.offset + room);
      const begun = await Promise.all(next.map((entry) => this.begin(feed, entry)));
      await askBudget(
        begun.filter((input) => input !== null),
        0,
      );
      feed.offset += next.length;
      if (feed.offset >= feed.entries.length) {
        feed.page += 1;
        feed.offset = 0;
        feed.entries = null;
      }
    }
  }

  /** An item whose end is on disk already, from an earlier run, is only counted: what is done stays done. */
  private async begin(feed: Feed, { ended, ...entry }: PageEntry): Promise<ItemInput | null> {
    if (ended) {
      this.count(ended.state, ended.code);
      return null;
    }
    this.starting += 1;
    // A start that is under way when the campaign is cancelled must be known to have happened, or the item would
    // escape the cancelling.
    const begun = await CancellationScope.nonCancellable(() => this.start(feed, entry));
    this.starting -= 1;
    return begun;
  }

  private async start(feed: Feed, entry: ItemEntry): Promise<ItemInput | null> {
    const { name, store, weight, policy } = this.plan;
    const { reference } = feed.plan;
    const input: ItemInput = { ...entry, campaign: name, store, reference, weight, policy };
    feed.open.add(entry.id);
    this.kinds.set(entry.id, entry);
    try {
      await startChild(item, {
        workflowId: itemWorkflowId(name, entry.id),
        args: [input],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        // Cancelling goes by `cancelOpen`, which also reaches those that an earlier run of ours started.
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        workflowTaskTimeout: '5s',
        staticSummary: `${entry.id} (${entry.kind})`,
        typedSearchAttributes: [
          { key: ATTRIBUTES.campaign, value: name },
          { key: ATTRIBUTES.item, value: entry.id },
          { key: ATTRIBUTES.kind, value: entry.kind },
          { key: ATTRIBUTES.service, value: reference.service },
          { key: ATTRIBUTES.state, value: 'waiting' },
        ],
      });
      return input;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // Still running from a campaign that was ended by hand: it reports to this one, by workflow id.
      await getExternalWorkflowHandle(itemWorkflowId(name, entry.id)).signal(askSignal);
      return null;
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
      const ids = await findEnded(this.plan.name, [...feed.open]);
      for (const id of ids) {
        const entry = this.kinds.get(id);
        // Its own signal may have come in meanwhile.
        if (!entry || !feed.open.has(id)) continue;
        const end = {
          state: 'failed',
          code: 'ITEM_ENDED_BY_HAND',
          message: ENDED_BY_HAND,
        } as const;
        await conclude({
          item: { ...entry, campaign: this.plan.name, store: this.plan.store },
          reference: feed.plan.reference,
          end,
          remoteId: null,
          attempts: [],
          files: [],
          submittedAt: null,
          finishedAt: new Date().toISOString(),
          timing: null,
        });
        this.itemDone({ id, ...end });
      }
    }
  }

  private async cancelOpen(): Promise<void> {
    await condition(() => this.starting === 0);
    for (const id of this.feeds.flatMap(({ open }) => [...open])) {
      try {
        await getExternalWorkflowHandle(itemWorkflowId(this.plan.name, id)).cancel();
      } catch (error) {
        // It has ended meanwhile; its signal may have been lost with an earlier run. `publish` looks at the tree.
        log.info('an item that is not running was not cancelled', { id, error: String(error) });
        for (const { open } of this.feeds) open.delete(id);
      }
    }
    const ended = () => this.feeds.every(({ open }) => open.size === 0);
    while (!(await condition(ended, '1 minute'))) await this.sweepOpen();
  }

  private async publish(state: 'completed' | 'cancelled'): Promise<CampaignProgress> {
    this.show('publishing');
    const { store, name } = this.plan;
    const startedAt = new Date(this.startedAt).toISOString();
    const { ended } = await publish({ store, campaign: name, state, startedAt });
    // The tree is the truth: it also knows the rows that no workflow was started for.
    Object.assign(this.ended, ended);
    this.show(state);
    return this.progress();
  }

  private async continue(): Promise<never> {
    const carried: CampaignCarried = {
      feeds: this.feeds.map(({ page, offset, open }) => ({
        page,
        offset,
        open: [...open].map((id) => this.kinds.get(id) as ItemEntry),
      })),
      progress: this.progress(),
      startedAt: this.startedAt,
    };
    await condition(allHandlersFinished);
    return continueAsNew<typeof campaign>({ plan: this.plan, carried });
  }

  private count(state: FinalState, code: string | null): void {
    this.ended[state] += 1;
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

const ENDED_BY_HAND = 'its workflow was ended by hand before the item had ended';

const NONE_ENDED: Readonly<Record<FinalState, number>> = {
  succeeded: 0,
  failed: 0,
  held: 0,
  cancelled: 0,
  invalid: 0,
};

function exhausted(feed: Feed): boolean {
  return feed.page >= feed.plan.pages;
}
