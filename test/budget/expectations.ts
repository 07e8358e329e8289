/**
 * The expected behaviour of the budget, implemented a second time and naively: every submission is kept forever and
 * counted again for each question. Nothing of `src/budget` is used here but the shapes of its events.
 */
import type { Grant } from '../../src/budget/budget.ts';
import type { Policy, Window } from '../../src/budget/policy.ts';
import {
  requestKey,
  buildSlotKey,
  type CampaignRun,
  type Request,
} from '../../src/budget/queue.ts';
import { Broken, type Moment, NaiveBlock, passed, type Refusal } from './naive.ts';
import type { Setting } from './setting.ts';
import { Turns } from './turns.ts';

/** The guard that docs/decisions.md promises; repeated here on purpose. */
export const GUARD_MS = 25;

/** So many rows are risked; repeated here on purpose. */
const MAX_UNSETTLED = 32;

/** A submission that was granted. */
export interface Sent {
  /** From 1, in the order of the grants. */
  readonly number: number;
  readonly request: Request;
  /** Its position in the order of the requests. */
  readonly order: number;
  /** The policy in force at the time of the grant, and the blocks known then. */
  readonly policy: Policy;
  readonly changes: number;
  readonly refusals: number;
  /** Null until its send time. */
  sentAt: Moment | null;
  /** When the service stamped its job. */
  stampedAt: Moment | null;
  closedAt: Moment | null;
  /** Its slot stays taken for a window from then on; until then as well, if that is later. */
  chargedAt: Moment | null;
  /** Its outcome is unknown. */
  unsure: boolean;
  /** The submission of unknown outcome whose slot it uses. */
  readonly replaced: Sent | null;
  /** The submission that uses its slot, or has used it. */
  replacedBy: Sent | null;
  withdrawn: boolean;
}

interface Place {
  readonly request: Request;
  readonly order: number;
}

export class Expectations {
  policy: Policy;
  readonly maxOutstanding: number;
  readonly sent: Sent[] = [];
  readonly waiting = new Map<string, Place>();
  /** Submissions that are looked up, by `requestKey`. */
  readonly unsettled = new Map<string, Sent>();
  readonly paused = new Set<string>();
  readonly block = new NaiveBlock();
  /** null: it is not known exactly which request could be served when. */
  readonly #turns: Turns | null;
  #asked = 0;
  /** Number of changes of the policies, and of refusals by the service. */
  #changes = 0;
  #refusals = 0;

  constructor(setting: Setting) {
    this.policy = setting.policy;
    this.maxOutstanding = setting.maxOutstanding;
    this.#turns = setting.world === 'quiet' ? new Turns() : null;
  }

  /** Sent and not answered. */
  get open(): Sent[] {
    return this.sent.filter(({ sentAt, closedAt }) => sentAt && !closedAt);
  }

  policyChanges(policy: Policy): void {
    this.policy = policy;
    this.#changes += 1;
  }

  hasPolicyOf(sent: Sent): boolean {
    return sent.changes === this.#changes;
  }

  openOf(item: string): Sent | undefined {
    return this.sent.findLast(({ request, closedAt }) => request.item === item && !closedAt);
  }

  asks(request: Request): void {
    if (this.unsettled.has(requestKey(request))) return;
    const flying = this.openOf(request.item);
    if (flying) {
      flying.withdrawn = false;
      return;
    }
    if (this.waiting.has(request.item)) return;
    const first = request.replaces === undefined ? 0 : Number.MIN_SAFE_INTEGER;
    this.waiting.set(request.item, { request, order: first + this.#asked++ });
    this.#linesChanged();
  }

  /** Submissions of unknown outcome that have their slots and nothing else. */
  unsure(now: Moment): Sent[] {
    return this.sent.filter(
      ({ unsure, chargedAt, replacedBy }) =>
        unsure && !replacedBy && chargedAt && passed(chargedAt, now) < 0,
    );
  }

  /** The one of them whose slot a request may use. */
  #slotFor({ replaces }: Request, now: Moment): Sent | undefined {
    return this.unsure(now).find(({ request }) => buildSlotKey(request) === replaces);
  }

  /** A look-up has found its job. */
  finds(sent: Sent, now: Moment): void {
    this.unsettled.delete(requestKey(sent.request));
    sent.unsure = false;
    sent.chargedAt = now;
  }

  /** A look-up has ended without a job: its slot is taken for as long as before. */
  ends({ request }: Sent): void {
    this.unsettled.delete(requestKey(request));
  }

  /** A look-up has shown that its job is absent, or not; it is sent once more. */
  asksAgain(request: Request): void {
    this.unsettled.delete(requestKey(request));
    this.asks(request);
  }

  withdraws({ campaign, run }: CampaignRun): void {
    const isOf = ({ request }: { readonly request: Request }) =>
      request.campaign === campaign && request.run === run;
    for (const [item, place] of this.waiting) if (isOf(place)) this.waiting.delete(item);
    for (const sent of this.sent) if (!sent.closedAt && isOf(sent)) sent.withdrawn = true;
    for (const [key, sent] of this.unsettled) if (isOf(sent)) this.unsettled.delete(key);
    this.#linesChanged();
  }

  pauses(campaign: string, paused: boolean): void {
    if (paused) this.paused.add(campaign);
    else this.paused.delete(campaign);
    this.#linesChanged();
  }

  /** The budget grants a slot: is it this request's turn? */
  allows({ request, probe, replaced: used }: Grant): Sent {
    const { item, campaign } = request;
    const place = this.waiting.get(item);
    if (!place) throw new Broken('only who waits is served', `${item} does not wait`);
    if (this.paused.has(campaign)) throw new Broken('a paused campaign waits', campaign);
    const first = this.#headOf(campaign)?.item;
    if (first !== item) throw new Broken('a line is served in order', `${item} before ${first}`);
    if (probe !== this.block.probing)
      throw new Broken('a service that was down is asked first', `${item}: ${probe}`);
    const replaced = used ? this.#replacedIn(used.request) : null;
    if (!replaced) this.#turns?.taken(campaign);
    this.waiting.delete(item);
    const sent: Sent = {
      number: this.sent.length + 1,
      request,
      order: place.order,
      policy: this.policy,
      changes: this.#changes,
      refusals: this.#refusals,
      sentAt: null,
      stampedAt: null,
      closedAt: null,
      chargedAt: null,
      unsure: false,
      replaced,
      replacedBy: null,
      withdrawn: false,
    };
    if (replaced) replaced.replacedBy = sent;
    this.sent.push(sent);
    this.#linesChanged();
    return sent;
  }

  #replacedIn(request: Request): Sent {
    const former = this.sent.find(
      ({ request: one, unsure, replacedBy }) =>
        buildSlotKey(one) === buildSlotKey(request) && unsure && !replacedBy,
    );
    if (!former)
      throw new Broken('a slot is used once', `that of ${buildSlotKey(request)} is not free`);
    return former;
  }

  /** At its send time, what was known at the time of the grant must hold. */
  sends(sent: Sent, now: Moment): void {
    const { item } = sent.request;
    const known = sent.refusals === this.#refusals;
    if (this.hasPolicyOf(sent)) {
      const reason = known ? this.reasonAgainst(now) : this.#windowAgainst(now);
      if (reason) throw new Broken('nothing is sent before its time', `${item}, but ${reason}`);
    }
    sent.sentAt = now;
  }

  refuses({ number }: Sent, refusal: Refusal, at: Moment): void {
    this.block.refused(number, this.sent.length, refusal, at);
    this.#refusals += 1;
  }

  /** Its answer has arrived. */
  closes(sent: Sent, at: Moment, chargedAt: Moment | null, unsure: boolean): void {
    sent.closedAt = at;
    sent.chargedAt = chargedAt;
    sent.unsure = unsure;
    if (unsure && !sent.withdrawn) this.unsettled.set(requestKey(sent.request), sent);
    // Without a job, the other may still become one.
    if (sent.replaced && !chargedAt) sent.replaced.replacedBy = null;
  }

  turnedAway({ request, order, withdrawn }: Sent): void {
    if (withdrawn) return;
    this.waiting.set(request.item, { request, order });
    this.#linesChanged();
    this.#turns?.returned(request.campaign);
  }

  /** No request waits that could be served. `foreign`: slots that others may hold, as far as headers reveal. */
  checkNothingIdle(now: Moment, foreign: number): void {
    for (const campaign of this.#linesWaiting()) {
      if (this.reasonAgainst(now, foreign, this.#slotForHead(campaign, now))) continue;
      throw new Broken('a free slot with someone waiting is used at once', `${campaign} waits`);
    }
  }

  /** Why nothing may be sent now; null if it may. */
  reasonAgainst(now: Moment, foreign = 0, has: Sent | null = null): string | null {
    return this.#windowAgainst(now, foreign, has) ?? this.#blockAgainst(now);
  }

  #slotForHead(campaign: string, now: Moment): Sent | null {
    const head = this.#headOf(campaign);
    return (head && this.#slotFor(head, now)) ?? null;
  }

  #windowAgainst(now: Moment, foreign = 0, has: Sent | null = null): string | null {
    const full = this.policy.windows.find(
      (window) => this.#taken(window, now, has) + foreign >= window.limit,
    );
    return full ? `all ${full.limit} slots are taken` : null;
  }

  #blockAgainst(now: Moment): string | null {
    if (!this.block.isOver(now)) return 'the service is to be left alone';
    const open = this.open;
    if (open.length >= this.maxOutstanding) return `${open.length} are in progress`;
    if (this.unsettled.size >= MAX_UNSETTLED) return `${this.unsettled.size} are looked up`;
    return this.block.probing && open.length > 0 ? 'a probe is on its way' : null;
  }

  /** `has`: not counted. Slots taken by the promised rule, from the sending until charge + window + guard. */
  #taken({ windowMs }: Window, now: Moment, has: Sent | null): number {
    let taken = 0;
    for (const sent of this.sent) {
      const { sentAt, closedAt, chargedAt, replacedBy } = sent;
      if (!sentAt || replacedBy || sent === has) continue;
      if (closedAt === null || (chargedAt && passed(chargedAt, now) < windowMs + GUARD_MS))
        taken += 1;
    }
    return taken;
  }

  #headOf(campaign: string): Request | undefined {
    const places = [...this.waiting.values()].filter(({ request: of }) => of.campaign === campaign);
    return places.sort((a, b) => a.order - b.order)[0]?.request;
  }

  #linesWaiting(): string[] {
    const campaigns = [...this.waiting.values()].map(({ request }) => request.campaign);
    return [...new Set(campaigns)].filter((campaign) => !this.paused.has(campaign));
  }

  #linesChanged(): void {
    this.#turns?.waiting(this.#linesWaiting());
  }
}
