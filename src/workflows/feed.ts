/**
 * The rows of one lane of a campaign (a service at one address), so that a slow budget does not hold up another: begun
 * while there is room in a sliding window of open items. A row that has a job begins its item; the others request a slot
 * from the budget, which submits them and begins their items (src/activities/rows.ts).
 *
 * A service may have several lanes, which share its unread rows (unread.ts), and exchange others (lane.ts).
 */
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  getExternalWorkflowHandle,
  log,
  ParentClosePolicy,
  startChild,
  workflowInfo,
  WorkflowIdReusePolicy,
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
} from '../domain/campaign.ts';
import {
  cancelRunning,
  checkItems,
  loadPage,
  shouldContinueAsNew,
  signalBudget,
} from './activity-options.ts';
import type { Activities, CampaignTree, ItemOfPage } from './activity-types.ts';
import type { Breaker } from './breaker.ts';
import { item } from './item.ts';
import { requestSignal, withdrawRunSignal, type FeedCarried, type ItemInput } from './messages.ts';
import { isSent, Lane } from './lane.ts';
import { Unread, type Side } from './unread.ts';
import { buildBudgetWorkflowId, buildItemWorkflowId, buildItemStart } from './names.ts';

interface FeedParts {
  readonly campaign: CampaignSpec;
  readonly spec: FeedSpec;
  readonly carried: FeedCarried | undefined;
  readonly breaker: Breaker;
  /** For items whose end was already on disk. */
  readonly tally: { count(kind: Kind, end: Pick<ItemEnd, 'state' | 'code'>): void };
  /** The first lane of the same service; absent for that one. */
  readonly first: Feed | undefined;
  /** An item was running already, and may have told its end before its row was begun. */
  readonly onRunning: (id: string) => Promise<void>;
}

/** A poll may be too early, and the next one has to wait for a second (ms). */
const KNOWN_LATE_MS = 2_000;

export class Feed extends Lane {
  declare readonly lanes: Feed[];
  /** The kind of the next row, which waits until one of the first rows of its kind has succeeded. */
  held: Kind | null = null;
  /** The budget has confirmed that nothing of the cancelled campaign waits there. */
  isWithdrawn = false;
  readonly #campaign: CampaignSpec;
  readonly #breaker: Breaker;
  readonly #tally: FeedParts['tally'];
  readonly #onRunning: FeedParts['onRunning'];
  readonly #unread: Unread;
  /** Items whose start the server has not confirmed yet. */
  #starting = 0;
  /** Which side of the unread rows it takes. */
  readonly #side: Side;

  constructor({ campaign, spec, carried, breaker, tally, first, onRunning }: FeedParts) {
    super(campaign.name, spec, carried ?? {}, first);
    this.#onRunning = onRunning;
    this.#campaign = campaign;
    this.#breaker = breaker;
    this.#tally = tally;
    this.#side = first ? 'end' : 'front';
    const begun = carried ?? { page: 0, offset: 0 };
    this.#unread = first
      ? first.#unread
      : new Unread(spec.pages, begun, (page) => this.#load(page));
  }

  get hasUnread(): boolean {
    return !this.#unread.isEmpty;
  }

  /** A start, or a request, is on its way. */
  get isBusy(): boolean {
    return this.#starting > 0 || this.requesting > 0;
  }

  protected get isPaused(): boolean {
    return this.#breaker.paused.some(({ service }) => service === this.lane);
  }

  /** For continue-as-new. */
  carried(): FeedCarried {
    return {
      ...this.#unread.carried(),
      open: [...this.open.values()],
      again: [...this.again],
    };
  }

  /** The campaign has more pages now. */
  extend(pages: number): void {
    this.spec = { ...this.spec, pages: Math.max(pages, this.spec.pages) };
    this.#unread.extend(pages);
  }

  /** The service has another token now: what waits in the budget of the former one comes back. False if it has not. */
  async useToken(reference: ServiceReference): Promise<boolean> {
    const former = this.spec.reference;
    if (reference.address !== former.address || reference.credential === former.credential)
      return false;
    this.spec = { ...this.spec, reference };
    this.voidQuestion();
    await this.#withdrawFrom(former);
    return true;
  }

  /** The job that this item had is of no use: its row requests another one, like any other row. */
  givenUp(id: string): void {
    const entry = this.open.get(id);
    if (entry?.remoteId === undefined) return;
    const { remoteId: _, formerEnd: __, ...row } = entry;
    this.open.set(id, row);
    this.again.add(id);
  }

  /** Begins rows while there is room and the history is not too long. */
  async fill(): Promise<void> {
    await this.#requestAgain();
    for (let room = this.room; room > 0 && !this.#unread.isEmpty; room = this.room) {
      if (shouldContinueAsNew()) return;
      await this.#unread.load(this.#side);
      const next = this.#nextRows(Math.min(this.spec.batch, room));
      if (this.held !== null && next.length === 0) return;
      // The other lane may have taken the last of the page meanwhile.
      if (next.length === 0) continue;
      this.#unread.take(this.#side, next.length);
      await Promise.all(next.map((row) => this.#findLane(row).#begin(row)));
      const sent = Map.groupBy(next.filter(isSent), (row) => this.#findLane(row));
      await Promise.all(Array.from(sent, ([lane, rows]) => lane.request(rows)));
    }
    if (this.#unread.isEmpty) this.held = null;
  }

  /** That of the job that it has; without one, this, or the service if this has given it back. */
  #findLane({ address, remoteId, ...row }: ItemOfPage): Feed {
    const [first = this, ...further] = this.lanes;
    if (remoteId === undefined) return this.maySend(row) ? this : first;
    return further.find((lane) => lane.address === address) ?? first;
  }

  async #requestAgain(): Promise<void> {
    const rows = [...this.again].flatMap((id) => this.open.get(id) ?? []);
    const next = this.#upToHeld(rows);
    for (const { id } of next) this.again.delete(id);
    await this.request(next);
  }

  /** Items that may be started now. Fewer at a time are not worth a message to the budget. */
  protected get room(): number {
    const room = this.#mostOpen - this.open.size;
    return room < this.spec.batch ? 0 : room;
  }

  /** The ends of a lane's short jobs are known late: without more rows that wait there, its engines would stand still. */
  get #mostOpen(): number {
    const { open } = this.spec;
    if (this.#side === 'front') return open;
    return Math.max(open, Math.ceil(open / 2 + this.countEndsIn(KNOWN_LATE_MS)));
  }

  /** At most so many, up to the first that has to wait for others of its kind. */
  #nextRows(most: number): readonly ItemOfPage[] {
    const rows = this.#unread.next(this.#side, most);
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
    const sent = open.filter(({ id }) => !this.again.has(id));
    return this.#breaker.room(this.lane, kind, sent.length);
  }

  /** Where rows with the same options have succeeded, an earlier time or elsewhere, the others need not wait. */
  async #load(page: number): Promise<readonly ItemOfPage[]> {
    const { reference, pages } = this.spec;
    const summary = `page ${page + 1} of ${pages}, the rows for ${this.service}`;
    const asked: Parameters<Activities['loadPage']> = [this.#tree, reference, page];
    if (this.lanes.length > 1) asked.push(this.#addresses);
    const entries = await loadPage.executeWithOptions({ summary }, asked);
    const proven = entries.filter((row) => row.proven || row.ended?.state === 'succeeded');
    for (const { lane } of this.lanes)
      for (const { kind } of proven) this.#breaker.endTrial(lane, kind);
    return entries;
  }

  /** An item whose end is on disk already, from an earlier run, is only counted. */
  async #begin({ ended, isObsolete, proven: _, address: __, ...row }: ItemOfPage): Promise<void> {
    if (isObsolete) return;
    if (ended) {
      this.#tally.count(row.kind, ended);
      return;
    }
    this.open.set(row.id, row);
    await this.#beginItem(row);
  }

  /** Of a row that has a job. */
  async #beginItem(row: ItemEntry): Promise<void> {
    const { remoteId } = row;
    if (remoteId === undefined) return;
    this.#starting += 1;
    // A start in progress must finish when the campaign is cancelled, or the item would not be cancelled.
    await CancellationScope.nonCancellable(() => this.#startItem(this.#inputOf(row, remoteId)));
    this.#starting -= 1;
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
      // An adopted job is followed by no other.
      ...(row.adopted ? {} : this.#givesBack),
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
      // Still running from a campaign that was terminated: it reports to this one, by workflow id, or has done so.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await this.#onRunning(input.id);
    }
  }

  /** All in one signal: one for each row would cost as much as its submission. The budget ignores repeated requests. */
  async request(rows: readonly ItemEntry[]): Promise<void> {
    if (rows.length === 0) return;
    const requests = rows.map((row) => this.#requestOf(row));
    this.requesting += 1;
    try {
      await signalBudget(this.spec, requestSignal, requests);
    } finally {
      this.requesting -= 1;
    }
  }

  get #givesBack(): Pick<ItemInput, 'givesBack'> {
    return this === this.lanes[0] ? {} : { givesBack: true };
  }

  #requestOf(row: ItemEntry): Request {
    const { id, kind, generation } = row;
    const { name, store, tree, policy } = this.#campaign;
    const { fetchQueue } = this.spec;
    const launch = {
      policy,
      ...(fetchQueue !== undefined && { fetchQueue }),
      ...(Number.isFinite(this.#roomFor(kind)) && { first: true as const }),
      ...this.#givesBack,
    };
    return {
      item: buildItemWorkflowId(name, id),
      run: workflowInfo().firstExecutionRunId,
      campaign: name,
      attempt: 0,
      ...pickShare(this.#campaign),
      behind: this.#unread.rows,
      job: {
        id,
        kind,
        generation,
        store,
        tree,
        launch,
        ...(this.lanes.length > 1 && { lanes: this.#listLanesOf(row) }),
      },
    };
  }

  #listLanesOf(row: ItemEntry): readonly string[] {
    const lanes = this.lanes.filter((lane) => lane.maySend(row));
    return lanes.map((lane) => lane.address);
  }

  get #tree(): CampaignTree {
    const { name, store, tree } = this.#campaign;
    return { campaign: name, store, tree };
  }

  get #addresses(): readonly string[] {
    return this.lanes.map(({ address }) => address);
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
    const items = [...this.open.values()].filter(({ id }) => !this.again.has(id));
    const summary = `where the ${items.length} open items are`;
    const unstarted = await checkItems.executeWithOptions({ summary }, [
      this.#tree,
      this.spec.reference,
      items,
      since,
    ]);
    if (CancellationScope.current().consideredCancelled) return;
    await this.requestOnceMore(unstarted);
    // Its item has given its job up, or was terminated, when this run had only begun to know the row. An item sends no
    // job, and the next one tells again what was given up; while one runs, the server refuses another.
    const rows = unstarted.flatMap((id) => this.open.get(id) ?? []);
    await Promise.all(rows.map((row) => this.#beginItem(row)));
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
