/**
 * The items of one service in a campaign: read page by page from the store, started while there is room in a
 * sliding window of open items, so that a slow budget does not hold up the other service.
 */
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  startChild,
  workflowInfo,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { FIRST_ASKED } from '../budget/allowance.ts';
import { standingIn } from '../budget/lanes.ts';
import type { CampaignSpec, FeedSpec, ItemEnd, ItemEntry } from '../domain/campaign.ts';
import type { Kind } from '../domain/item.ts';
import { loadPage } from './activity-options.ts';
import { signalBudget } from './ask-budget.ts';
import type { Breaker } from './breaker.ts';
import { item } from './item.ts';
import {
  requestSignal,
  type FeedCarried,
  type Grown,
  type ItemInput,
  type TakenFromQueue,
} from './messages.ts';
import { itemStart } from './item-start.ts';
import { itemWorkflowId } from './names.ts';
import { shouldContinueAsNew } from './upgrade.ts';
import type { ItemOfPage } from './activity-types.ts';
import type { ItemRequest } from './submit-types.ts';

interface FeedParts {
  readonly campaign: CampaignSpec;
  readonly spec: FeedSpec;
  readonly carried: FeedCarried | undefined;
  readonly breaker: Breaker;
  /** Called for items whose end was already on disk. */
  readonly onEnded: (kind: Kind, end: Pick<ItemEnd, 'state' | 'code'>) => void;
}

export class Feed {
  spec: FeedSpec;
  /** Items that are started and have not ended, by id; without what is only displayed. */
  readonly open: Map<string, ItemEntry>;
  /** Items whose start the server has not confirmed yet. */
  starting = 0;
  /** The open items that wait in the budget, by its last report; the other rows wait here. */
  readonly #asked: Set<string>;
  /** How many may wait there. */
  #ahead: number;
  /** The kind of the next row, which waits until one of the first rows of its kind has succeeded. */
  held: Kind | null = null;
  readonly #campaign: CampaignSpec;
  readonly #breaker: Breaker;
  readonly #onEnded: FeedParts['onEnded'];
  #page: number;
  /** Entries of the current page that are done. */
  #offset: number;
  #entries: readonly ItemOfPage[] | null = null;

  constructor({ campaign, spec, carried, breaker, onEnded }: FeedParts) {
    this.#campaign = campaign;
    this.spec = spec;
    this.#breaker = breaker;
    this.#onEnded = onEnded;
    this.#page = carried?.page ?? 0;
    this.#offset = carried?.offset ?? 0;
    this.open = new Map(carried?.open.map((entry) => [entry.id, entry]));
    this.#asked = new Set(carried?.asked);
    this.#ahead = carried?.ahead ?? FIRST_ASKED;
  }

  /** All items were started. */
  get exhausted(): boolean {
    return this.#page >= this.spec.pages;
  }

  /** All items have ended. */
  get hasEnded(): boolean {
    return this.exhausted && this.open.size === 0;
  }

  /** For continue-as-new. */
  carried(): FeedCarried {
    const { open } = this;
    const asked = this.#asked;
    const ahead = this.#ahead;
    const page = this.#page;
    const offset = this.#offset;
    return { page, offset, open: [...open.values()], asked: [...asked], ahead };
  }

  /** The campaign has more pages now. */
  extend(pages: number): void {
    this.spec = { ...this.spec, pages: Math.max(pages, this.spec.pages) };
  }

  /** The budget has granted these requests. */
  taken({ ids, ahead }: Pick<TakenFromQueue, 'ids' | 'ahead'>): void {
    this.#ahead = ahead;
    for (const id of ids) this.#asked.delete(id);
  }

  ended(id: string): void {
    this.open.delete(id);
    this.#asked.delete(id);
  }

  /** The job that this item had is of no use: its row requests another one, like any other row. */
  async givenUp(id: string): Promise<void> {
    const entry = this.open.get(id);
    if (entry?.remoteId === undefined) return;
    const { remoteId: _, formerEnd: __, ...row } = entry;
    this.open.set(id, row);
    await this.#ask([row]);
  }

  /** Items that may be started now. A few at a time are not worth a message to the budget. */
  get #room(): number {
    const open = this.spec.open - this.open.size;
    const ahead = this.#ahead - this.#asked.size;
    return ahead < this.#ahead / 2 ? 0 : Math.min(open, ahead);
  }

  /** Rows of the pages that are not read yet, and of this one; the last page may have fewer. */
  get #behind(): number {
    const perPage = this.#entries?.length ?? 0;
    return Math.max(0, (this.spec.pages - this.#page) * perPage - this.#offset);
  }

  /** Starts items while there is room and the history is not too long. */
  async fill(): Promise<void> {
    for (let room = this.#room; room > 0 && !this.exhausted; room = this.#room) {
      if (shouldContinueAsNew()) return;
      this.#entries ??= await this.#load();
      const next = this.#nextRows(this.#entries, Math.min(this.spec.batch, room));
      if (this.held !== null && next.length === 0) return;
      await Promise.all(next.map((entry) => this.#begin(entry)));
      this.#offset += next.length;
      await this.#ask(next);
      if (this.#offset >= this.#entries.length) this.#turnPage();
    }
  }

  /** At most so many, up to the first that has to wait for others of its kind. */
  #nextRows(entries: readonly ItemOfPage[], most: number): readonly ItemOfPage[] {
    const rows = entries.slice(this.#offset, this.#offset + most);
    const sent = Map.groupBy(rows.filter(isSent), ({ kind }) => kind);
    const held = rows.findIndex(
      (row) => isSent(row) && (sent.get(row.kind) ?? []).indexOf(row) >= this.#roomFor(row.kind),
    );
    this.held = rows[held]?.kind ?? null;
    return held < 0 ? rows : rows.slice(0, held);
  }

  /** How many further rows of this kind may be sent. */
  #roomFor(kind: Kind): number {
    const open = [...this.open.values()].filter((row) => row.kind === kind && isSent(row));
    return this.#breaker.room(this.spec.reference.service, kind, open.length);
  }

  /** Those of the rows that have no job, all in one signal: one for each would cost as much as its submission. */
  async #ask(rows: readonly ItemEntry[]): Promise<void> {
    const unsent = rows.filter(isSent);
    if (unsent.length === 0) return;
    for (const { id } of unsent) this.#asked.add(id);
    const requests = unsent.map((row) => this.#requestOf(row));
    await signalBudget(this.spec, requestSignal, requests);
  }

  /** Its workflow begins with the answer to its submission (src/activities/start-item.ts). */
  #requestOf({ id, kind, generation, sends }: ItemEntry): ItemRequest {
    const { name, store, tree, policy } = this.#campaign;
    const { reference, fetchQueue } = this.spec;
    const launch = {
      policy,
      ...(fetchQueue !== undefined && { fetchQueue }),
      ...(sends && { sends }),
      ...(Number.isFinite(this.#roomFor(kind)) && { first: true as const }),
    };
    return {
      item: itemWorkflowId(name, id),
      run: workflowInfo().firstExecutionRunId,
      campaign: name,
      credential: reference.credential,
      attempt: 0,
      ...standingIn(this.#campaign),
      behind: this.#behind,
      job: { id, kind, generation, store, tree, launch },
    };
  }

  /** Where rows with the same options have succeeded, an earlier time or elsewhere, the others need not wait. */
  async #load(): Promise<ItemOfPage[]> {
    const entries = await this.#loadPage();
    const proven = entries.filter((row) => row.proven || row.ended?.state === 'succeeded');
    for (const { kind } of proven) this.#breaker.endTrial(this.spec.reference.service, kind);
    return entries;
  }

  #loadPage(): Promise<ItemOfPage[]> {
    const { reference, pages } = this.spec;
    const summary = `page ${this.#page + 1} of ${pages}, the rows for ${reference.service}`;
    const { store, tree } = this.#campaign;
    const page = [store, reference, this.#page, tree] as const;
    return loadPage.executeWithOptions({ summary }, [...page]);
  }

  #turnPage(): void {
    this.#page += 1;
    this.#offset = 0;
    this.#entries = null;
  }

  /** An item whose end is on disk already, from an earlier run, is only counted. */
  async #begin({ ended, isObsolete, proven: _, ...entry }: ItemOfPage): Promise<void> {
    if (isObsolete) return;
    if (ended) {
      this.#onEnded(entry.kind, ended);
      return;
    }
    const { sends: __, ...known } = entry;
    this.open.set(entry.id, known);
    const { remoteId } = entry;
    if (remoteId === undefined) return;
    this.starting += 1;
    // A start in progress must finish when the campaign is cancelled, or the item would not be cancelled.
    await CancellationScope.nonCancellable(() => this.#startChild(this.#inputOf(entry, remoteId)));
    this.starting -= 1;
  }

  #inputOf({ remoteId: _, ...row }: ItemEntry, remoteId: string): ItemInput {
    const { name, store, tree, policy } = this.#campaign;
    const { reference, fetchQueue } = this.spec;
    const how = row.adopted ? 'adopted' : 'found';
    return {
      ...row,
      campaign: name,
      store,
      reference,
      tree,
      policy,
      ...standingIn(this.#campaign),
      ...(fetchQueue !== undefined && { fetchQueue }),
      begin: { type: 'job', how, remoteId, posted: {}, attempts: [] },
    };
  }

  /** Open items without a workflow, whose requests the budget may have lost. It ignores repeated requests. */
  async askAgain(ids: readonly string[]): Promise<void> {
    const entries = ids.flatMap((id) => this.open.get(id) ?? []);
    // Items with a job had a child workflow that was terminated: the next run of the campaign finds the job.
    await this.#ask(entries);
  }

  async #startChild(input: ItemInput): Promise<void> {
    const workflowId = itemWorkflowId(input.campaign, input.id);
    try {
      await startChild(item, {
        workflowId,
        args: [input],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        // The campaign cancels items itself, also those that an earlier run of it started.
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        ...itemStart(input),
      });
    } catch (error) {
      // Still running from a campaign that was terminated: it reports to this one, by workflow id.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }
}

/** It takes a slot: it has no end and no job yet. */
function isSent({ ended, isObsolete, remoteId }: Partial<ItemOfPage>): boolean {
  return ended === undefined && isObsolete === undefined && remoteId === undefined;
}

interface Growing {
  readonly spec: CampaignSpec;
  /** Extended in place: the campaign may be filling them at this moment. */
  readonly feeds: Feed[];
  /** For a service that had no rows so far. */
  readonly feedOf: (spec: FeedSpec) => Feed;
}

interface Growth {
  /** The input of the next run after continue-as-new. */
  readonly spec: CampaignSpec;
  /** False for a signal that was repeated: its rows are known. */
  readonly grew: boolean;
}

export function addRows(
  { items, following, feeds: added }: Grown,
  { spec, feeds, feedOf }: Growing,
): Growth {
  let grew = items !== spec.items;
  for (const feed of added) {
    const known = feeds.find((one) => one.spec.reference.service === feed.reference.service);
    grew ||= feed.pages > (known?.spec.pages ?? 0);
    if (known) known.extend(feed.pages);
    else feeds.push(feedOf(feed));
  }
  const all = spec.following + following;
  const specs = feeds.map((feed) => feed.spec);
  return { spec: { ...spec, items, following: all, feeds: specs }, grew };
}
