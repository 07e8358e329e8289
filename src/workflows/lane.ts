/**
 * A lane of a campaign: a service at one address, and the rows that are open there. When no unread row is left, a lane
 * with room asks for those that another cannot send now; a row whose job is another's, or that a lane has given back,
 * moves as well. Why a row is never in two lanes: docs/architecture.md, "Two lanes".
 */
import { workflowInfo } from '@temporalio/workflow';
import type { FeedSpec, ItemEntry, ServiceName } from '../domain/campaign.ts';
import { signalBudget } from './activity-options.ts';
import type { ItemOfPage } from './activity-types.ts';
import {
  takeBackSignal,
  type FeedCarried,
  type GivenBack,
  type LaneName,
  type TakenBack,
} from './messages.ts';

/** A lane that has nothing to send looks so often for rows of another that cannot be sent there (ms). */
const ASK_INTERVAL_MS = 20_000;
/** Twice as long each time that no item of its own has ended since, up to this: it may be down. */
const MAX_ASK_INTERVAL_MS = 2 * 60_000;
/** Ends are counted for so long (ms). */
const RATE_MS = 5_000;
/** An answer that takes longer was lost with its budget (ms). */
const ANSWER_TIMEOUT_MS = 60_000;

interface Asked {
  readonly token: string;
  readonly by: Lane;
  readonly at: number;
}

export abstract class Lane {
  readonly service: ServiceName;
  /** Its name in the breaker and for people: that of the service, of further lanes with the address. */
  readonly lane: string;
  /** All lanes of the service, in the order of the configuration. */
  readonly lanes: Lane[];
  spec: FeedSpec;
  /** Items that have begun or wait for a slot, by id. */
  readonly open: Map<string, ItemEntry>;
  /** Open items without a job, which have not requested one yet. */
  protected readonly again: Set<string>;
  /** Requests that may not have reached its budget. */
  protected requesting = 0;
  readonly #campaign: string;
  /** Its budget was asked for rows, and has not answered. Void when rows of it are requested once more. */
  #asked: Asked | null = null;
  #questions = 0;
  /** When it last asked others, and how often since an item of its own has ended. */
  #asks = { at: 0, times: 0 };
  /** The last ends of items (ms). */
  #endedAt: number[] = [];

  constructor(
    campaign: string,
    spec: FeedSpec,
    { open, again }: Partial<FeedCarried>,
    first?: Lane,
  ) {
    this.#campaign = campaign;
    this.spec = spec;
    this.service = spec.reference.service;
    this.lane = first ? `${this.service} (${spec.reference.address})` : this.service;
    this.lanes = first?.lanes ?? [];
    this.lanes.push(this);
    this.open = new Map(open?.map((entry) => [entry.id, entry]));
    this.again = new Set(again);
  }

  /** Rows of the service are left that no lane has begun. */
  abstract get hasUnread(): boolean;
  /** Items that may be started now. */
  protected abstract get room(): number;
  protected abstract get isPaused(): boolean;
  protected abstract request(rows: readonly ItemEntry[]): Promise<void>;

  /** No lane of the service has rows left: any may get those of another. */
  get hasEnded(): boolean {
    return !this.hasUnread && this.lanes.every(({ open }) => open.size === 0);
  }

  isAt({ service, address }: LaneName): boolean {
    return service === this.service && address === this.address;
  }

  get address(): string {
    return this.spec.reference.address;
  }

  /** A lane does not get back what it has given back. */
  maySend({ givenBack = [] }: Pick<ItemEntry, 'givenBack'>): boolean {
    return !givenBack.includes(this.address);
  }

  ended(id: string): void {
    this.#leave(id);
    this.#asks.times = 0;
    const now = Date.now();
    this.#endedAt = [...this.#endedAt.filter((at) => at > now - RATE_MS), now];
  }

  /** How many of its items end in this time (ms), as of late. */
  protected countEndsIn(timeMs: number): number {
    const since = Date.now() - RATE_MS;
    return (this.#endedAt.filter((at) => at > since).length * timeMs) / RATE_MS;
  }

  #leave(id: string): void {
    this.open.delete(id);
    this.again.delete(id);
  }

  /** A lane has given it back: it goes to the service. False if that is known. */
  givenBack(id: string, { generation, givenBack }: GivenBack): boolean {
    const entry = this.open.get(id);
    if (!entry || entry.generation >= generation) return false;
    const { remoteId: _, formerEnd: __, ...row } = entry;
    this.open.set(id, { ...row, generation, givenBack });
    this.again.add(id);
    const [first] = this.lanes;
    if (first && first !== this) this.#move([id], first);
    return true;
  }

  /** For rows that another lane cannot send now, when no unread row is left, and this one has room. */
  async askOthers(): Promise<void> {
    const others = this.#others.filter((lane) => lane.#mayGive);
    if (others.length === 0 || Date.now() < this.#mayAskAt) return;
    this.#asks = { at: Date.now(), times: this.#asks.times + 1 };
    const room = this.room;
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
  get #others(): readonly Lane[] {
    if (this.hasUnread || this.isPaused || this.room === 0) return [];
    return this.lanes.filter(
      (lane) => lane !== this && [...lane.open.values()].some((row) => isSent(row)),
    );
  }

  get #mayAskAt(): number {
    const { at, times } = this.#asks;
    if (times === 0) return at;
    return at + Math.min(MAX_ASK_INTERVAL_MS, ASK_INTERVAL_MS * 2 ** (times - 1));
  }

  /** What the engines of a lane end soon stays there: a service that waits for its window would send it later. */
  get #spare(): number {
    if (this === this.lanes[0]) return Number.POSITIVE_INFINITY;
    return this.open.size - this.countEndsIn(RATE_MS);
  }

  get #mayGive(): boolean {
    const isAsked = this.#asked !== null && Date.now() - this.#asked.at < ANSWER_TIMEOUT_MS;
    // A request that reaches its budget after the question would be answered as if it came before.
    return !isAsked && this.requesting === 0;
  }

  /** Rows that are not requested move at once; for the others, its budget is asked. */
  async #giveTo(by: Lane, asked: number): Promise<void> {
    const most = Math.min(asked, this.#spare);
    if (most <= 0) return;
    const mayMove = (id: string) => by.maySend(this.open.get(id) ?? {});
    const unasked = [...this.again].filter(mayMove).slice(0, most);
    this.#move(unasked, by);
    if (unasked.length === most) return;
    const { runId, firstExecutionRunId: run } = workflowInfo();
    this.#questions += 1;
    const token = `${runId} ${this.#questions}`;
    this.#asked = { token, by, at: Date.now() };
    const to = by.address;
    const request = { campaign: this.#campaign, run, most: most - unasked.length, to, token };
    await signalBudget(this.spec, takeBackSignal, request);
  }

  /**
   * Its budget has forgotten these rows. After another question, or a request since, they are not known to be there no more:
   * they stay, and are requested once more.
   */
  async takenBack({ token, ids }: TakenBack): Promise<void> {
    const asked = this.#asked;
    if (asked?.token !== token) return this.requestOnceMore(ids);
    this.#asked = null;
    this.#move(ids, asked.by);
  }

  /** A question that is not answered yet is void: of a row that is requested after it, the answer is not true. */
  protected async requestOnceMore(ids: readonly string[]): Promise<void> {
    this.#asked = null;
    const rows = ids.flatMap((id) => this.open.get(id) ?? []);
    await this.request(rows.filter((row) => isSent(row) && !this.again.has(row.id)));
  }

  /** The job of this row is, or may be, at another lane. */
  belongs(id: string, address: string): void {
    const lane = this.lanes.find((one) => one.address === address);
    if (lane && lane !== this) this.#move([id], lane);
  }

  /** Rows without a job, that neither wait in its budget nor are on their way from there. */
  #move(ids: readonly string[], to: Lane): void {
    for (const id of ids) {
      const row = this.open.get(id);
      // By a late message, it would go to a lane that has given it back since.
      if (row === undefined || !isSent(row) || !to.maySend(row)) continue;
      this.#leave(id);
      to.open.set(id, row);
      to.again.add(id);
    }
  }

  /** Another budget has its rows now. */
  protected voidQuestion(): void {
    this.#asked = null;
  }
}

/** It takes a slot: it has no end and no job yet. */
export function isSent({ ended, isObsolete, remoteId }: Partial<ItemOfPage>): boolean {
  return ended === undefined && isObsolete === undefined && remoteId === undefined;
}
