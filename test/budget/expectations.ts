/**
 * The expected behaviour of the budget, implemented a second time and naively: every submission is kept forever and
 * counted again for each question. Nothing of `src/budget` is used here but the shapes of its events.
 */
import type { Grant } from '../../src/budget/budget.ts';
import type { Policy, Window } from '../../src/budget/policy.ts';
import { requestKey, slotOf, type CampaignRun, type Request } from '../../src/budget/request.ts';
import { Broken, type Moment, NaiveBlock, passed } from './naive.ts';
import type { Setting } from './setting.ts';
import { Turns, type LaneName } from './turns.ts';

/** The guard that docs/decisions.md promises; repeated here on purpose. */
export const GUARD_MS = 25;

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
  /** Its fate is unknown. */
  unsure: boolean;
  /** The submission of unknown fate whose slot it uses. */
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
  readonly policies: Record<string, Policy>;
  readonly maxOutstanding: number;
  readonly sent: Sent[] = [];
  readonly waiting = new Map<string, Place>();
  /** Submissions that are looked up, by `requestKey`. */
  readonly unsettled = new Map<string, Sent>();
  readonly paused = new Set<string>();
  readonly blocks: Record<string, NaiveBlock>;
  readonly addressBlock = new NaiveBlock();
  /** null: it is not known exactly which request could be served when. */
  readonly #turns: Turns | null;
  #asked = 0;
  /** Number of changes of the policies, and of refusals by the service. */
  #changes = 0;
  #refusals = 0;

  constructor(setting: Setting) {
    this.policies = { ...setting.policies };
    this.maxOutstanding = setting.maxOutstanding;
    this.#turns = setting.world === 'quiet' ? new Turns() : null;
    this.blocks = Object.fromEntries(
      Object.keys(setting.policies).map((c) => [c, new NaiveBlock()]),
    );
  }

  /** Sent and not answered. */
  get open(): Sent[] {
    return this.sent.filter(({ sentAt, closedAt }) => sentAt && !closedAt);
  }

  policyChanges(credential: string, policy: Policy): void {
    this.policies[credential] = policy;
    this.#changes += 1;
  }

  policiesAreThoseOf(sent: Sent): boolean {
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
    const standing = this.waiting.get(request.item);
    if (standing && sameLane(standing.request, request)) return;
    const first = request.replaces === undefined ? 0 : Number.MIN_SAFE_INTEGER;
    this.waiting.set(request.item, { request, order: first + this.#asked++ });
    this.#lanesChanged();
  }

  /** Submissions of unknown fate that have their slots and nothing else. */
  unsure(now: Moment): Sent[] {
    return this.sent.filter(
      ({ unsure, chargedAt, replacedBy }) =>
        unsure && !replacedBy && chargedAt && passed(chargedAt, now) < 0,
    );
  }

  /** The one of them whose slot a request may use. */
  #slotFor({ replaces, credential }: Request, now: Moment): Sent | undefined {
    if (replaces === undefined) return undefined;
    return this.unsure(now).find(
      ({ request }) => slotOf(request) === replaces && request.credential === credential,
    );
  }

  /** A look-up has found its job. */
  finds(sent: Sent, now: Moment): void {
    this.unsettled.delete(requestKey(sent.request));
    sent.unsure = false;
    sent.chargedAt = now;
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
    this.#lanesChanged();
  }

  pauses(campaign: string, paused: boolean): void {
    if (paused) this.paused.add(campaign);
    else this.paused.delete(campaign);
    this.#lanesChanged();
  }

  /** The budget grants a slot: is it this request's turn? */
  allows({ request, probe, replaced: used }: Grant, now: Moment): Sent {
    const { item, campaign, credential } = request;
    const place = this.waiting.get(item);
    if (!place) throw new Broken('only who waits is served', `${item} does not wait`);
    if (this.paused.has(campaign)) throw new Broken('a paused campaign waits', campaign);
    const first = this.#firstOf(request);
    if (first !== item) throw new Broken('a lane is served in order', `${item} before ${first}`);
    if (probe !== this.addressBlock.probing)
      throw new Broken('a service that was down is asked first', `${item}: ${probe}`);
    const replaced = used ? this.#replacedIn(used.request) : null;
    if (!replaced) this.#turns?.taken(request, this.#lanesOpen(now));
    this.waiting.delete(item);
    const sent: Sent = {
      number: this.sent.length + 1,
      request,
      order: place.order,
      policy: this.#policyOf(credential),
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
    this.#lanesChanged();
    return sent;
  }

  #replacedIn(request: Request): Sent {
    const former = this.sent.find(
      ({ request: one, unsure, replacedBy }) =>
        slotOf(one) === slotOf(request) && unsure && !replacedBy,
    );
    if (!former) throw new Broken('a slot is used once', `that of ${slotOf(request)} is not free`);
    return former;
  }

  /** At its send time, what was known at the time of the grant must hold. */
  sends(sent: Sent, now: Moment): void {
    const { item, credential } = sent.request;
    const known = sent.refusals === this.#refusals;
    if (this.policiesAreThoseOf(sent)) {
      const reason = known
        ? this.reasonAgainst(credential, now)
        : this.#windowAgainst(credential, now);
      if (reason) throw new Broken('nothing is sent before its time', `${item}, but ${reason}`);
    }
    sent.sentAt = now;
  }

  refuses(block: NaiveBlock, { number }: Sent, retryAfterMs: number | null, at: Moment): void {
    block.refused(number, this.sent.length, retryAfterMs, at);
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
    this.#lanesChanged();
    this.#turns?.returned(request);
  }

  /** No request waits that could be served. `foreign`: slots that others may hold, as far as headers reveal. */
  checkNothingIdle(now: Moment, foreign: (credential: string) => number): void {
    for (const lane of this.#lanesWaiting()) {
      const has = this.#slotForHead(lane, now);
      if (this.reasonAgainst(lane.credential, now, foreign(lane.credential), has)) continue;
      const who = `${lane.campaign} waits with ${lane.credential}`;
      throw new Broken('a free slot with someone waiting is used at once', who);
    }
  }

  /** Why nothing may be sent with a credential now; null if it may. */
  reasonAgainst(
    credential: string,
    now: Moment,
    foreign = 0,
    has: Sent | null = null,
  ): string | null {
    const full = this.#windowAgainst(credential, now, foreign, has);
    return full ?? this.#blockAgainst(credential, now);
  }

  #slotForHead(lane: LaneName, now: Moment): Sent | null {
    const head = this.#headOf(lane);
    return (head && this.#slotFor(head, now)) ?? null;
  }

  #windowAgainst(
    credential: string,
    now: Moment,
    foreign = 0,
    has: Sent | null = null,
  ): string | null {
    const full = this.#policyOf(credential).windows.find(
      (window) => this.#taken(credential, window, now, has) + foreign >= window.limit,
    );
    return full ? `all ${full.limit} slots of ${credential} are taken` : null;
  }

  #blockAgainst(credential: string, now: Moment): string | null {
    const block = this.blocks[credential] as NaiveBlock;
    if (!block.isOver(now)) return `the service told ${credential} to wait`;
    if (!this.addressBlock.isOver(now)) return 'the service is to be left alone';
    const open = this.open;
    if (open.length >= this.maxOutstanding) return `${open.length} are in progress`;
    if (block.probing && open.some(({ request }) => request.credential === credential))
      return `a probe of ${credential} is on its way`;
    if (this.addressBlock.probing && open.length > 0) return 'a probe is on its way';
    return null;
  }

  /** `has`: not counted. Slots taken by the promised rule, from the sending until charge + window + guard. */
  #taken(credential: string, { windowMs }: Window, now: Moment, has: Sent | null): number {
    let taken = 0;
    for (const sent of this.sent) {
      const { request, sentAt, closedAt, chargedAt, replacedBy } = sent;
      if (!sentAt || replacedBy || sent === has) continue;
      if (request.credential !== credential) continue;
      if (closedAt === null || (chargedAt && passed(chargedAt, now) < windowMs + GUARD_MS))
        taken += 1;
    }
    return taken;
  }

  #policyOf(credential: string): Policy {
    return this.policies[credential] as Policy;
  }

  #firstOf(lane: Request): string | undefined {
    return this.#headOf(lane)?.item;
  }

  #headOf(lane: LaneName): Request | undefined {
    const places = [...this.waiting.values()].filter(({ request }) => sameLane(request, lane));
    return places.sort((a, b) => a.order - b.order)[0]?.request;
  }

  #lanesWaiting(): LaneName[] {
    const lanes = new Map<string, LaneName>();
    for (const { request } of this.waiting.values()) {
      const { campaign, credential } = request;
      if (!this.paused.has(campaign)) lanes.set(`${campaign} ${credential}`, request);
    }
    return [...lanes.values()];
  }

  #lanesChanged(): void {
    this.#turns?.waiting(this.#lanesWaiting());
  }

  #lanesOpen(now: Moment): LaneName[] {
    const open: LaneName[] = [];
    for (const lane of this.#lanesWaiting()) {
      if (this.reasonAgainst(lane.credential, now, 0, this.#slotForHead(lane, now)))
        this.#turns?.closed(lane);
      else open.push(lane);
    }
    return open;
  }
}

function sameLane(a: LaneName, b: LaneName): boolean {
  return a.campaign === b.campaign && a.credential === b.credential;
}
