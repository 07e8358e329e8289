/**
 * The rows of one lane of a campaign (a service at one address), so that a slow budget does not hold up another: begun
 * while there is room in a sliding window of open items. A row that has a job begins its item; the others request a slot
 * from the budget, which submits them and begins their items (src/activities/rows.ts).
 *
 * A service may have several lanes, which share its unread rows (unread.ts). When none is left, a lane with room asks for
 * those that another cannot send now. Why a row is never in two lanes: docs/architecture.md, "Two lanes".
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
  ServiceName,
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
import {
  requestSignal,
  takeBackSignal,
  withdrawRunSignal,
  type FeedCarried,
  type ItemInput,
  type LaneName,
  type TakenBack,
} from './messages.ts';
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

/** A lane that has nothing to send looks so often for rows of another that cannot be sent there (ms). */
const ASK_INTERVAL_MS = 20_000;
/** Twice as long each time that no item of its own has ended since, up to this: it may be down. */
const MAX_ASK_INTERVAL_MS = 2 * 60_000;
/** An answer that takes longer was lost with its budget (ms). */
const ANSWER_TIMEOUT_MS = 60_000;

interface Asked {
  readonly token: string;
  readonly by: Feed;
  readonly at: number;
}

export class Feed {
  readonly service: ServiceName;
  /** Its name in the breaker and for people: that of the service, of further lanes with the address. */
  readonly lane: string;
  /** All lanes of the service, in the order of the configuration. */
  readonly lanes: Feed[];
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
  readonly #onRunning: FeedParts['onRunning'];
  readonly #unread: Unread;
  /** Which side of the unread rows it takes. */
  readonly #side: Side;
  /** Its budget was asked for rows, and has not answered. Void when rows of it are requested once more. */
  #asked: Asked | null = null;
  #questions = 0;
  /** When it last asked others, and how often since an item of its own has ended. */
  #asks = { at: 0, times: 0 };
  /** Requests that may not have reached its budget. */
  #requesting = 0;

  constructor({ campaign, spec, carried, breaker, tally, first, onRunning }: FeedParts) {
    this.#onRunning = onRunning;
    this.#campaign = campaign;
    this.spec = spec;
    this.service = spec.reference.service;
    this.lane = first ? `${this.service} (${spec.reference.address})` : this.service;
    this.#breaker = breaker;
    this.#tally = tally;
    this.#side = first ? 'end' : 'front';
    const begun = carried ?? { page: 0, offset: 0 };
    this.#unread = first
      ? first.#unread
      : new Unread(spec.pages, begun, (page) => this.#load(page));
    this.lanes = first?.lanes ?? [];
    this.lanes.push(this);
    this.open = new Map(carried?.open.map((entry) => [entry.id, entry]));
    this.#again = new Set(carried?.again);
  }

  /** No lane of the service has rows left: any may get those of another. */
  get hasEnded(): boolean {
    return this.#unread.isEmpty && this.lanes.every(({ open }) => open.size === 0);
  }

  get hasUnread(): boolean {
    return !this.#unread.isEmpty;
  }

  isAt({ service, address }: LaneName): boolean {
    return service === this.service && address === this.spec.reference.address;
  }

  /** For continue-as-new. */
  carried(): FeedCarried {
    return {
      ...this.#unread.carried(),
      open: [...this.open.values()],
      again: [...this.#again],
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
    this.#asked = null;
    await this.#withdrawFrom(former);
    return true;
  }

  ended(id: string): void {
    this.#leave(id);
    this.#asks.times = 0;
  }

  #leave(id: string): void {
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
    for (let room = this.#room; room > 0 && !this.#unread.isEmpty; room = this.#room) {
      if (shouldContinueAsNew()) return;
      await this.#unread.load(this.#side);
      const next = this.#nextRows(Math.min(this.spec.batch, room));
      if (this.held !== null && next.length === 0) return;
      // The other lane may have taken the last of the page meanwhile.
      if (next.length === 0) continue;
      this.#unread.take(this.#side, next.length);
      await Promise.all(next.map((row) => this.#findLane(row).#begin(row)));
      await this.#request(next.filter(isSent));
    }
    if (this.#unread.isEmpty) this.held = null;
  }

  /** That of the job that it has; without one, this. */
  #findLane({ address, remoteId }: ItemOfPage): Feed {
    if (remoteId === undefined) return this;
    const [first = this, ...further] = this.lanes;
    return further.find((lane) => lane.spec.reference.address === address) ?? first;
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
    const sent = open.filter(({ id }) => !this.#again.has(id));
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
      // Still running from a campaign that was terminated: it reports to this one, by workflow id, or has done so.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await this.#onRunning(input.id);
    }
  }

  /** All in one signal: one for each row would cost as much as its submission. The budget ignores repeated requests. */
  async #request(rows: readonly ItemEntry[]): Promise<void> {
    if (rows.length === 0) return;
    const requests = rows.map((row) => this.#requestOf(row));
    this.#requesting += 1;
    await signalBudget(this.spec, requestSignal, requests);
    this.#requesting -= 1;
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
      behind: this.#unread.rows,
      job: {
        id,
        kind,
        generation,
        store,
        tree,
        launch,
        ...(this.lanes.length > 1 && { lanes: this.#addresses }),
      },
    };
  }

  get #tree(): CampaignTree {
    const { name, store, tree } = this.#campaign;
    return { campaign: name, store, tree };
  }

  get #addresses(): readonly string[] {
    return this.lanes.map(({ spec: { reference } }) => reference.address);
  }

  /** For rows that another lane cannot send now, when no unread row is left, and this one has room. */
  async askOthers(): Promise<void> {
    const others = this.#others.filter((lane) => lane.#mayGive);
    if (others.length === 0 || Date.now() < this.#mayAskAt) return;
    this.#asks = { at: Date.now(), times: this.#asks.times + 1 };
    const room = this.#room;
    // Shared among them: each may have as many.
    const shares = others.map((_, i) => Math.floor((room + i) / others.length));
    await Promise.all(others.map((lane, i) => lane.#giveTo(this, shares[i] ?? 0)));
  }

  /** When it looks again for rows of others (ms); null: not before a message. */
  get asksAt(): number | null {
    if (this.#others.length === 0) return null;
    const now = Date.now();
    // Due, and yet nothing was asked: a question or a request is on its way.
    return this.#mayAskAt > now ? this.#mayAskAt : now + ASK_INTERVAL_MS;
  }

  /** Lanes that may have rows for this one now. Perhaps: a row that was sent is open, too. */
  get #others(): readonly Feed[] {
    const isPaused = this.#breaker.paused.some(({ service }) => service === this.lane);
    if (!this.#unread.isEmpty || isPaused || this.#room === 0) return [];
    return this.lanes.filter(
      (lane) => lane !== this && [...lane.open.values()].some((row) => isSent(row)),
    );
  }

  get #mayAskAt(): number {
    const { at, times } = this.#asks;
    if (times === 0) return at;
    return at + Math.min(MAX_ASK_INTERVAL_MS, ASK_INTERVAL_MS * 2 ** (times - 1));
  }

  get #mayGive(): boolean {
    const isAsked = this.#asked !== null && Date.now() - this.#asked.at < ANSWER_TIMEOUT_MS;
    // A request that reaches its budget after the question would be answered as if it came before.
    return !isAsked && this.#requesting === 0;
  }

  /** Rows that are not requested move at once; for the others, its budget is asked. */
  async #giveTo(by: Feed, most: number): Promise<void> {
    if (most === 0) return;
    const unasked = [...this.#again].slice(0, most);
    this.#move(unasked, by);
    if (unasked.length === most) return;
    const { runId, firstExecutionRunId: run } = workflowInfo();
    this.#questions += 1;
    const token = `${runId} ${this.#questions}`;
    this.#asked = { token, by, at: Date.now() };
    const request = { campaign: this.#campaign.name, run, most: most - unasked.length, token };
    await signalBudget(this.spec, takeBackSignal, request);
  }

  /**
   * Its budget has forgotten these rows. After another question, or a request since, they are not known to be there no more:
   * they stay, and are requested once more.
   */
  async takenBack({ token, ids }: TakenBack): Promise<void> {
    const asked = this.#asked;
    if (asked?.token !== token) return this.#requestOnceMore(ids);
    this.#asked = null;
    this.#move(ids, asked.by);
  }

  /** A question that is not answered yet is void: of a row that is requested after it, the answer is not true. */
  async #requestOnceMore(ids: readonly string[]): Promise<void> {
    this.#asked = null;
    const rows = ids.flatMap((id) => this.open.get(id) ?? []);
    await this.#request(rows.filter((row) => isSent(row) && !this.#again.has(row.id)));
  }

  /** The job of this row is, or may be, at another lane. */
  belongs(id: string, address: string): void {
    const lane = this.lanes.find(({ spec: { reference } }) => reference.address === address);
    if (lane && lane !== this) this.#move([id], lane);
  }

  /** Rows without a job, that neither wait in its budget nor are on their way from there. */
  #move(ids: readonly string[], to: Feed): void {
    for (const id of ids) {
      const row = this.open.get(id);
      if (row === undefined || !isSent(row)) continue;
      this.#leave(id);
      to.open.set(id, row);
      to.#again.add(id);
    }
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
    await this.#requestOnceMore(unstarted);
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
