/**
 * The rows of one service in a campaign, so that a slow budget does not hold up the other service: read page by page from
 * the store, and begun while there is room in a sliding window of open items. A row that has a job begins its item; the
 * others request a slot from the budget, which submits them and begins their items (src/activities/rows.ts).
 */
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  ParentClosePolicy,
  startChild,
  workflowInfo,
  WorkflowIdReusePolicy,
  type SignalDefinition,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { pickShare, type Request } from '../budget/queue.ts';
import type {
  CampaignSpec,
  FeedSpec,
  ItemEnd,
  ItemEntry,
  ServiceReference,
  Kind,
  ServiceName,
} from '../domain/campaign.ts';
import {
  cancelRunning,
  checkItems,
  ensureBudget,
  loadPage,
  shouldContinueAsNew,
  withToken,
} from './activity-options.ts';
import type { CampaignTree, ItemOfPage } from './activity-types.ts';
import type { Breaker } from './breaker.ts';
import { item } from './item.ts';
import { requestSignal, withdrawRunSignal, type FeedCarried, type ItemInput } from './messages.ts';
import { buildBudgetWorkflowId, buildItemWorkflowId, buildItemStart } from './names.ts';

interface FeedParts {
  readonly campaign: CampaignSpec;
  readonly spec: FeedSpec;
  readonly carried: FeedCarried | undefined;
  readonly breaker: Breaker;
  /** For items whose end was already on disk. */
  readonly tally: { count(kind: Kind, end: Pick<ItemEnd, 'state' | 'code'>): void };
}

export class Feed {
  readonly service: ServiceName;
  spec: FeedSpec;
  /** Items that have begun or wait for a slot, by id. */
  readonly open: Map<string, ItemEntry>;
  /** Items whose start the server has not confirmed yet. */
  starting = 0;
  /** The kind of the next row, which waits until one of the first rows of its kind has succeeded. */
  held: Kind | null = null;
  /** The budget has confirmed that nothing of the cancelled campaign waits there. */
  isWithdrawn = false;
  /** Open items whose job was of no use, and which have not requested another one yet. */
  readonly #again: Set<string>;
  readonly #campaign: CampaignSpec;
  readonly #breaker: Breaker;
  readonly #tally: FeedParts['tally'];
  #page: number;
  /** Entries of the current page that are done. */
  #offset: number;
  #entries: readonly ItemOfPage[] | null = null;

  constructor({ campaign, spec, carried, breaker, tally }: FeedParts) {
    this.#campaign = campaign;
    this.spec = spec;
    this.service = spec.reference.service;
    this.#breaker = breaker;
    this.#tally = tally;
    this.#page = carried?.page ?? 0;
    this.#offset = carried?.offset ?? 0;
    this.open = new Map(carried?.open.map((entry) => [entry.id, entry]));
    this.#again = new Set(carried?.again);
  }

  /** All rows have ended. */
  get hasEnded(): boolean {
    return this.#page >= this.spec.pages && this.open.size === 0;
  }

  /** For continue-as-new. */
  carried(): FeedCarried {
    return {
      page: this.#page,
      offset: this.#offset,
      open: [...this.open.values()],
      again: [...this.#again],
    };
  }

  /** The campaign has more pages now. */
  extend(pages: number): void {
    this.spec = { ...this.spec, pages: Math.max(pages, this.spec.pages) };
  }

  /** The service has another token now: what waits in the budget of the former one comes back. False if it has not. */
  async useToken(reference: ServiceReference): Promise<boolean> {
    const former = this.spec.reference;
    if (reference.address !== former.address || reference.credential === former.credential)
      return false;
    this.spec = { ...this.spec, reference };
    await this.#withdrawFrom(former);
    return true;
  }

  ended(id: string): void {
    this.open.delete(id);
    this.#again.delete(id);
  }

  /** The job that this item had is of no use: its row requests another one, like any other row. */
  givenUp(id: string): void {
    const entry = this.open.get(id);
    if (entry?.remoteId === undefined) return;
    const { remoteId: _, formerEnd: __, ...row } = entry;
    this.open.set(id, row);
    this.#again.add(id);
  }

  /** Begins rows while there is room and the history is not too long. */
  async fill(): Promise<void> {
    await this.#requestAgain();
    for (let room = this.#room; room > 0 && this.#page < this.spec.pages; room = this.#room) {
      if (shouldContinueAsNew()) return;
      this.#entries ??= await this.#load();
      const next = this.#nextRows(this.#entries, Math.min(this.spec.batch, room));
      if (this.held !== null && next.length === 0) return;
      await Promise.all(next.map((row) => this.#begin(row)));
      this.#offset += next.length;
      await this.#request(next.filter(isSent));
      if (this.#offset >= this.#entries.length) this.#turnPage();
    }
  }

  async #requestAgain(): Promise<void> {
    const rows = [...this.#again].flatMap((id) => this.open.get(id) ?? []);
    const next = this.#upToHeld(rows);
    for (const { id } of next) this.#again.delete(id);
    await this.#request(next);
  }

  /** Items that may be started now. Fewer at a time are not worth a message to the budget. */
  get #room(): number {
    const room = this.spec.open - this.open.size;
    return room < this.spec.batch ? 0 : room;
  }

  /** At most so many, up to the first that has to wait for others of its kind. */
  #nextRows(entries: readonly ItemOfPage[], most: number): readonly ItemOfPage[] {
    const rows = entries.slice(this.#offset, this.#offset + most);
    const next = this.#upToHeld(rows);
    this.held = rows[next.length]?.kind ?? null;
    return next;
  }

  #upToHeld<T extends Partial<ItemOfPage> & Pick<ItemEntry, 'kind'>>(
    rows: readonly T[],
  ): readonly T[] {
    const sent = Map.groupBy(rows.filter(isSent), ({ kind }) => kind);
    const held = rows.findIndex(
      (row) => isSent(row) && (sent.get(row.kind) ?? []).indexOf(row) >= this.#roomFor(row.kind),
    );
    return held < 0 ? rows : rows.slice(0, held);
  }

  /** How many further rows of this kind may be sent. */
  #roomFor(kind: Kind): number {
    const open = [...this.open.values()].filter((row) => row.kind === kind && isSent(row));
    const sent = open.filter(({ id }) => !this.#again.has(id));
    return this.#breaker.room(this.service, kind, sent.length);
  }

  /** Where rows with the same options have succeeded, an earlier time or elsewhere, the others need not wait. */
  async #load(): Promise<readonly ItemOfPage[]> {
    const { reference, pages } = this.spec;
    const summary = `page ${this.#page + 1} of ${pages}, the rows for ${this.service}`;
    const entries = await loadPage.executeWithOptions({ summary }, [
      this.#tree,
      reference,
      this.#page,
    ]);
    const proven = entries.filter((row) => row.proven || row.ended?.state === 'succeeded');
    for (const { kind } of proven) this.#breaker.endTrial(this.service, kind);
    return entries;
  }

  #turnPage(): void {
    this.#page += 1;
    this.#offset = 0;
    this.#entries = null;
  }

  /** An item whose end is on disk already, from an earlier run, is only counted. */
  async #begin({ ended, isObsolete, proven: _, ...row }: ItemOfPage): Promise<void> {
    if (isObsolete) return;
    if (ended) {
      this.#tally.count(row.kind, ended);
      return;
    }
    this.open.set(row.id, row);
    const { remoteId } = row;
    if (remoteId === undefined) return;
    this.starting += 1;
    // A start in progress must finish when the campaign is cancelled, or the item would not be cancelled.
    await CancellationScope.nonCancellable(() => this.#startItem(this.#inputOf(row, remoteId)));
    this.starting -= 1;
  }

  #inputOf({ remoteId: _, ...row }: ItemEntry, remoteId: string): ItemInput {
    const { policy } = this.#campaign;
    const { reference, fetchQueue } = this.spec;
    const how = row.adopted ? 'adopted' : 'found';
    return {
      ...row,
      ...this.#tree,
      reference,
      policy,
      ...pickShare(this.#campaign),
      ...(fetchQueue !== undefined && { fetchQueue }),
      begin: { type: 'job', how, remoteId, posted: {}, attempts: [] },
    };
  }

  async #startItem(input: ItemInput): Promise<void> {
    try {
      await startChild(item, {
        workflowId: buildItemWorkflowId(input.campaign, input.id),
        args: [input],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        // The campaign cancels items itself, also those that an earlier run of it started.
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        ...buildItemStart(input),
      });
    } catch (error) {
      // Still running from a campaign that was terminated: it reports to this one, by workflow id.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  /** All in one signal: one for each row would cost as much as its submission. The budget ignores repeated requests. */
  async #request(rows: readonly ItemEntry[]): Promise<void> {
    if (rows.length === 0) return;
    const requests = rows.map((row) => this.#requestOf(row));
    await signalBudget(this.spec, requestSignal, requests);
  }

  #requestOf({ id, kind, generation }: ItemEntry): Request {
    const { name, store, tree, policy } = this.#campaign;
    const { fetchQueue } = this.spec;
    const launch = {
      policy,
      ...(fetchQueue !== undefined && { fetchQueue }),
      ...(Number.isFinite(this.#roomFor(kind)) && { first: true as const }),
    };
    return {
      item: buildItemWorkflowId(name, id),
      run: workflowInfo().firstExecutionRunId,
      campaign: name,
      attempt: 0,
      ...pickShare(this.#campaign),
      behind: this.#behind,
      job: { id, kind, generation, store, tree, launch },
    };
  }

  get #tree(): CampaignTree {
    const { name, store, tree } = this.#campaign;
    return { campaign: name, store, tree };
  }

  /** Rows of the pages that are not read yet, and of this one; the last page may have fewer. */
  get #behind(): number {
    const perPage = this.#entries?.length ?? 0;
    return Math.max(0, (this.spec.pages - this.#page) * perPage - this.#offset);
  }

  /**
   * Looks for the open items that report nothing. Those whose workflow was terminated are concluded; those without one wait
   * in the budget, and are requested again in case it has lost them.
   *
   * Rejected: watching each item, which costs an event for each.
   *
   * @param since when the campaign began (ms)
   */
  async check(since: number): Promise<void> {
    const items = [...this.open.values()].filter(({ id }) => !this.#again.has(id));
    const summary = `where the ${items.length} open items are`;
    const unstarted = await checkItems.executeWithOptions({ summary }, [
      this.#tree,
      this.spec.reference,
      items,
      since,
    ]);
    // Items with a job had a workflow: the next run of the campaign finds the job.
    await this.#request(unstarted.flatMap((id) => this.open.get(id) ?? []).filter(isSent));
  }

  /** `withdrawn` is called when the budget has nothing of the campaign any more. */
  async withdraw(): Promise<void> {
    this.isWithdrawn = false;
    await this.#withdrawFrom(this.spec.reference);
  }

  async #withdrawFrom(reference: ServiceReference): Promise<void> {
    const run = workflowInfo().firstExecutionRunId;
    try {
      const budget = getExternalWorkflowHandle(buildBudgetWorkflowId(reference));
      await budget.signal(withdrawRunSignal, { campaign: this.#campaign.name, run });
    } catch (error) {
      log.info('no budget workflow to withdraw from', { error: String(error) });
      this.isWithdrawn = true;
    }
  }

  withdrawn(): void {
    this.isWithdrawn = true;
  }

  /** Those without a running workflow leave `open`. */
  async cancelRunning(): Promise<void> {
    if (this.open.size === 0) return;
    const summary = `cancel those of ${this.open.size} open items that run`;
    const ids = [...this.open.keys()];
    const { name } = this.#campaign;
    for (const id of await cancelRunning.executeWithOptions({ summary }, [name, ids]))
      this.open.delete(id);
  }
}

/** It takes a slot: it has no end and no job yet. */
function isSent({ ended, isObsolete, remoteId }: Partial<ItemOfPage>): boolean {
  return ended === undefined && isObsolete === undefined && remoteId === undefined;
}

/** It may be terminated again before the signal reaches it. */
const TRIES = 5;

/** A budget workflow that was terminated is started again. */
export async function signalBudget<T>(
  feed: Pick<FeedSpec, 'reference' | 'fetchQueue'>,
  signal: SignalDefinition<[T]>,
  what: T,
): Promise<void> {
  const keeper = getExternalWorkflowHandle(buildBudgetWorkflowId(feed.reference));
  for (let tries = 1; ; tries += 1) {
    try {
      await keeper.signal(signal, what);
      return;
    } catch (error) {
      if (isCancellation(error) || tries === TRIES) throw error;
    }
    const options = withToken(`start the budget of ${feed.reference.service}`, feed);
    await ensureBudget.executeWithOptions(options, [feed.reference]);
  }
}
