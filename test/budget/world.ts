/**
 * The budget in a world that behaves as badly as the contract allows: a service that stamps jobs somewhere between
 * start and close, answers as the history says and has other clients, and a clock that is set. Every decision of the
 * budget is checked against the expectations at once.
 */
import { type Grant, applyReading, take } from '../../src/budget/budget.ts';
import type { BudgetEvent, Settlement, SubmitResult } from '../../src/budget/state.ts';
import { computeLongestMs, type Policy, type Window } from '../../src/budget/policy.ts';
import { requestKey, buildSlotKey, type Request } from '../../src/budget/queue.ts';
import { LATEST_ACCEPTANCE_MS } from '../../src/domain/limits.ts';
import { Broken, type Moment, passed } from './naive.ts';
import type { BudgetUnderTest } from './budget-under-test.ts';
import { Expectations, GUARD_MS, type Sent } from './expectations.ts';
import { ServiceModel } from './service-model.ts';
import { GOOD, type Fate, type Setting } from './setting.ts';
import { REFUSED, UNSURE } from './a-budget.ts';

const START = 1_700_000_000_000;

/** Answers and timers within a millisecond: more than a correct budget can cause with all items of a history. */
const MAX_ROUNDS = 2_000;

/** A submission in progress. All times are true times. */
interface Flight {
  readonly sent: Sent;
  readonly settlement: Fate;
  readonly sendAt: number;
  readonly stampAt: number;
  readonly answerAt: number;
  /** When the budget takes the answer in. */
  readonly closeAt: number;
  /** The answer of the service, once it has stamped it. */
  closing: SubmitResult | null;
}

export class World {
  readonly expected: Expectations;
  readonly budget: BudgetUnderTest;
  readonly setting: Setting;
  /** Item → its latest request. */
  readonly items = new Map<string, Request>();
  time = START;
  /** Offset of our clock from true time, in ms. */
  #forward = 0;
  #stepped = false;
  #jobs = 0;
  readonly #token: ServiceModel;
  /** Its ceiling is unknown here, and is met by obeying. */
  readonly #address: ServiceModel;
  #flights: Flight[] = [];
  /** Submissions that the service accepts after their end, in true time. */
  #late: { readonly sent: Sent; readonly at: number }[] = [];
  /** True time at which the budget asked to be woken. */
  #wakeAt: number | null = null;
  /** What the budget's clock shows in the world `old`, and the reading that is in progress. */
  #shown = START;
  #reading: { readonly at: number; readonly arrivesAt: number; readonly events: number } | null =
    null;
  #fatesUsed = 0;
  #healthy = false;
  /** The longest time (ms) that an answer has taken, and the longest window so far. */
  #slowestMs = 0;
  #longestWindowMs = 0;
  /** The count from a header for the only submission in progress: no more than that may be sent at once. */
  #told: number | null = null;
  readonly write: ((line: string) => void) | null;

  constructor(setting: Setting, budget: BudgetUnderTest, write: ((line: string) => void) | null) {
    this.setting = setting;
    this.budget = budget;
    this.write = write;
    this.expected = new Expectations(setting);
    this.#token = new ServiceModel(setting.policy.windows);
    this.#address = new ServiceModel(setting.addressWindows);
    this.#configure();
    budget.state.maxOutstanding = setting.maxOutstanding;
  }

  get moment(): Moment {
    return { time: this.time, forward: this.#forward };
  }

  /** The time of our clock. */
  get now(): number {
    return this.time + this.#forward;
  }

  /** What the budget's clock shows: the last reading, or the last timer that has fired. */
  get shown(): number {
    return this.#isOld ? this.#shown : this.now;
  }

  get #isOld(): boolean {
    return this.setting.world === 'old';
  }

  /** Logs what happens by itself; formatted only when the history is shown. */
  #note(line: () => string): void {
    this.write?.(`  at ${this.time - START} ms: ${line()}`);
  }

  ask(request: Request): void {
    this.items.set(request.item, request);
    this.expected.asks(request);
    this.#tell({ type: 'request', request });
    this.#decide();
  }

  withdraw({ campaign, run }: Request): void {
    this.expected.withdraws({ campaign, run });
    this.#tell({ type: 'withdrawRun', campaign, run });
    this.#decide();
  }

  pause(campaign: string, paused: boolean): void {
    this.expected.pauses(campaign, paused);
    this.#tell({ type: 'pause', campaign, paused });
    this.#decide();
  }

  /** The limits change, at the service and here. */
  change(policy: Policy): void {
    this.expected.policyChanges(policy);
    this.#token.windows = policy.windows;
    this.#configure();
    this.#decide();
  }

  /** Another client uses the same token or address, as far as the service allows. */
  foreign(isOurToken: boolean, jobs: number): void {
    for (let i = 0; i < jobs; i += 1) {
      const models = isOurToken ? [this.#token, this.#address] : [this.#address];
      if (models.some((model) => !model.hasRoomAt(this.time))) return;
      for (const model of models) model.accept(this.time, false);
    }
  }

  setClock(byMs: number): void {
    this.#forward += byMs;
    this.#stepped = true;
  }

  /** Time passes: the service works, answers arrive, the timer fires. */
  pass(ms: number): void {
    const end = this.time + ms;
    let rounds = 0;
    for (;;) {
      const { next } = this;
      if (next > end) break;
      rounds = next > this.time ? 0 : rounds + 1;
      if (rounds > MAX_ROUNDS)
        throw new Broken('a service is not flooded', `${rounds} rounds in one millisecond`);
      this.time = Math.max(this.time, next);
      this.#sendDue();
      if (this.#takeAnswers()) this.#decide();
      else if (this.#takeReading()) this.#decide(true);
      else if (this.#wakeAt !== null && this.#wakeAt <= this.time) this.#wake();
    }
    this.time = end;
    this.#stampAll();
  }

  /** Our side is suspended for a while; the service is not. What arrived meanwhile is handled at the end. */
  sleep(ms: number): void {
    const end = this.time + ms;
    // Slots granted for a later time are used at that time, by a worker that is not suspended.
    for (let next = this.#nextSending(); next <= end; next = this.#nextSending()) {
      this.time = Math.max(this.time, next);
      this.#sendDue();
    }
    this.time = end;
    this.#takeAnswers();
    this.#decide();
  }

  /** From now on everything works: every limit as at first, all answers good and fast, nothing paused. */
  recover(): void {
    this.#healthy = true;
    this.change(this.setting.policy);
    for (const campaign of [...this.expected.paused]) this.pause(campaign, false);
  }

  /** The next event that happens by itself, in true time; `Infinity` if there is none. */
  get next(): number {
    const timer = this.#wakeAt ?? Number.POSITIVE_INFINITY;
    const reading = this.#reading?.arrivesAt ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#nextAnswer(), this.#nextSending(), reading, timer);
  }

  #configure(): void {
    const { policy } = this.expected;
    this.#longestWindowMs = Math.max(this.#longestWindowMs, computeLongestMs(policy.windows));
    this.#tell({ type: 'configure', policy });
  }

  /** In the world `old`, nothing is counted before a reading that begins after it. */
  #tell(event: BudgetEvent): void {
    if (this.#isOld) take(this.budget.state, event, this.#shown);
    else this.budget.apply(event, this.now);
  }

  /** @param isFresh the clock was read just now */
  #decide(isFresh = !this.#isOld): void {
    const { grants, wakeAt } = this.budget.decide(this.shown);
    for (const grant of grants) this.#send(grant);
    this.#checkBelieved(grants);
    if (wakeAt !== null && wakeAt <= this.shown)
      throw new Broken('the timer lies ahead', `${this.shown - wakeAt} ms ago`);
    if (isFresh) this.#wakeAt = wakeAt === null ? null : this.time + (wakeAt - this.shown);
    const { length } = this.budget.state.untimed;
    if (length > 0 || (wakeAt !== null && !isFresh)) this.#read(length);
    if (!this.#stepped && !this.#isOld) this.#checkNothingIdle();
  }

  #read(events: number): void {
    const arrivesAt = this.time + this.setting.readingMs;
    this.#reading ??= { at: this.time, arrivesAt, events };
  }

  /** True if there was one. */
  #takeReading(): boolean {
    const reading = this.#reading;
    if (!reading || reading.arrivesAt > this.time) return false;
    this.#reading = null;
    this.#shown = Math.max(this.#shown, reading.at);
    applyReading(this.budget.state, reading.events, this.#shown);
    return true;
  }

  #wake(): void {
    const before = this.expected.sent.length;
    this.#shown = Math.max(this.#shown, this.#wakeAt ?? 0);
    this.#wakeAt = null;
    this.#decide();
    if (this.#isOld) return;
    if (!this.#stepped && this.expected.sent.length === before)
      throw new Broken('the timer fires when a slot is free', 'it fired and nothing was sent');
  }

  #checkNothingIdle(): void {
    // Found up to a window after their stamp, held for a window more, found late by the time of an answer.
    const since = this.time - 2 * (this.#longestWindowMs + GUARD_MS) - this.#slowestMs;
    this.expected.checkNothingIdle(this.moment, this.#token.foreignSince(since));
  }

  /** The service's count of remaining slots is believed, if no other submission in progress could explain it. */
  #checkBelieved(grants: readonly Grant[]): void {
    const told = this.#told;
    this.#told = null;
    if (told === null) return;
    const sent = grants.filter(({ notBefore }) => notBefore <= this.now).length;
    if (sent > told)
      throw new Broken('the service is believed', `${told} were left, ${sent} were sent`);
  }

  #send(grant: Grant): void {
    const { request, notBefore } = grant;
    const sent = this.expected.allows(grant);
    const { fates } = this.setting;
    const settlement = this.#healthy ? GOOD : (fates[this.#fatesUsed++ % fates.length] ?? GOOD);
    const sendAt = this.time + Math.max(0, notBefore - this.now);
    const stampAt = sendAt + settlement.stampAfterMs;
    const answerAt = stampAt + settlement.answerAfterMs;
    const closeAt = answerAt + settlement.takenInAfterMs;
    this.#flights.push({ sent, settlement, sendAt, stampAt, answerAt, closeAt, closing: null });
    const when = sendAt > this.time ? `may be sent in ${sendAt - this.time} ms` : 'is sent';
    this.#note(() => `${request.item} ${when} (${request.campaign})`);
    this.#sendDue();
  }

  #sendDue(): void {
    for (const { sent, sendAt } of this.#flights)
      if (!sent.sentAt && sendAt <= this.time) this.expected.sends(sent, this.moment);
  }

  #nextSending(): number {
    const waiting = this.#flights.filter(({ sent }) => !sent.sentAt);
    return Math.min(...waiting.map(({ sendAt }) => sendAt));
  }

  #nextAnswer(): number {
    return Math.min(...this.#flights.map(({ closeAt }) => closeAt));
  }

  /** True if there were any. */
  #takeAnswers(): boolean {
    this.#stampAll();
    const due = this.#flights.filter(({ closeAt }) => closeAt <= this.time);
    this.#flights = this.#flights.filter(({ closeAt }) => closeAt > this.time);
    for (const flight of due.sort((a, b) => a.closeAt - b.closeAt)) this.#answer(flight);
    return due.length > 0;
  }

  #stampAll(): void {
    const due = this.#flights.filter(({ stampAt, closing }) => !closing && stampAt <= this.time);
    const late = this.#late.filter(({ at }) => at <= this.time);
    this.#late = this.#late.filter(({ at }) => at > this.time);
    const stamps = [
      ...due.map((flight) => ({
        at: flight.stampAt,
        stamp: () => (flight.closing = this.#arrive(flight)),
      })),
      ...late.map(({ sent, at }) => ({ at, stamp: () => this.#acceptLate(sent, at) })),
    ];
    for (const { stamp } of stamps.sort((a, b) => a.at - b.at)) stamp();
  }

  /** The request has reached the service. */
  #arrive({ sent, settlement, stampAt }: Flight): SubmitResult {
    const { outcome, retryAfterMs, header } = settlement;
    const common = { message: outcome, rateLimit: null };
    if (outcome === 'unsure') return UNSURE;
    if (outcome === 'unsure, service failed') return { ...UNSURE, byService: true };
    if (outcome === 'refused') return REFUSED;
    if (outcome === 'rate-limited' || outcome === 'unavailable' || outcome === 'unreachable')
      return { type: 'notNow', reason: outcome, retryAfterMs, ...common };
    if (this.#isNameTaken(sent)) return REFUSED;
    const token = this.#token;
    const full = [token, this.#address].find((model) => !model.hasRoomAt(stampAt));
    if (full) {
      this.#checkMayBeFull(sent);
      const roomInMs = (full.roomAt(stampAt) ?? stampAt + 60_000) - stampAt;
      const ordered = header ? Math.max(0, Math.ceil(roomInMs / 1_000) * 1_000) : null;
      return { type: 'notNow', reason: 'rate-limited', retryAfterMs: ordered, ...common };
    }
    for (const model of [token, this.#address]) model.accept(stampAt, true);
    sent.stampedAt = { time: stampAt, forward: this.#forward };
    this.#checkWindows(sent, sent.stampedAt);
    if (outcome === 'accepted, answer lost') return UNSURE;
    const seen = header ? token.headerAt(stampAt) : null;
    const [limit, remaining] = [seen?.window.limit ?? null, seen?.remaining ?? null];
    this.#jobs += 1;
    return { type: 'accepted', remoteId: `job ${this.#jobs}`, rateLimit: { limit, remaining } };
  }

  /** The service may refuse for a full window only for reasons that cannot be known here. */
  #checkMayBeFull(sent: Sent): void {
    const unknowable =
      this.setting.world === 'shared' || this.#forward > 0 || !this.expected.hasPolicyOf(sent);
    if (!unknowable)
      throw new Broken('the service never has to refuse', `${sent.request.item} met a 429`);
  }

  /** No window contains more of our jobs than the limit under which the last of them was sent. */
  #checkWindows({ request }: Sent, at: Moment): void {
    const stamped = this.expected.sent.filter(({ stampedAt }) => stampedAt);
    const last = stamped.at(-1) as Sent;
    // Granted ahead under limits that no longer apply: the order of sending differs from that of the grants.
    if (this.#isOld && !this.expected.hasPolicyOf(last)) return;
    for (const { limit, windowMs } of last.policy.windows) {
      const found = stamped.filter(({ stampedAt }) => passed(stampedAt as Moment, at) < windowMs);
      if (found.length > limit)
        throw new Broken(
          'no window overflows',
          `${found.length} jobs, the last of ${request.item}`,
        );
    }
  }

  #answer({ sent, settlement, answerAt, closing }: Flight): void {
    if (!closing) throw new Error('answered before it arrived');
    const { request, number } = sent;
    const { expected } = this;
    this.#slowestMs = Math.max(this.#slowestMs, this.time - (sent.sentAt as Moment).time);
    this.#note(() => `${request.item}: ${JSON.stringify(closing)}`);
    // A time in the past is not known of a clock that was set.
    const knownMs = closing.type === 'accepted' && !this.#stepped ? this.time - answerAt : 0;
    const agoMs = Math.max(0, knownMs - settlement.chargedAfterMs);
    const { time, forward } = this.moment;
    const unsure = closing.type === 'unsure';
    const chargedAt = unsure ? time + LATEST_ACCEPTANCE_MS : time - agoMs;
    const charged = closing.type === 'accepted' || unsure;
    expected.closes(sent, this.moment, charged ? { time: chargedAt, forward } : null, unsure);
    if (unsure && !sent.stampedAt) this.#mayComeLate(sent, settlement, answerAt);
    if (closing.type === 'accepted' || closing.type === 'refused')
      expected.block.answered(number, closing.type === 'accepted');
    if (closing.type === 'notNow') {
      expected.turnedAway(sent);
      const { retryAfterMs, reason } = closing;
      const limited = reason === 'rate-limited';
      expected.refuses(sent, { retryAfterMs, limited }, this.moment);
    }
    if (closing.type === 'unsure' && closing.byService)
      expected.refuses(sent, { retryAfterMs: null, limited: false }, this.moment);
    const remaining = closing.type === 'accepted' ? closing.rateLimit?.remaining : null;
    const window = this.#token.headerAt(this.time)?.window;
    if (remaining != null && window && this.#wasAlone(sent) && !this.#wasFreedSince(sent, window))
      this.#told = remaining;
    const { item, run } = request;
    const result = closing.type === 'accepted' ? { ...closing, agoMs } : closing;
    this.#tell({ type: 'close', item, run, result });
    // Its look-up ends at once.
    if (closing.type === 'refused')
      this.#tell({ type: 'settled', item, run, settlement: { type: 'ended' } });
  }

  /** The service continues when its client has left. A step of the clock cannot be distinguished from elapsed time. */
  #mayComeLate(sent: Sent, { lateMs }: Fate, answerAt: number): void {
    if (lateMs === null || this.#healthy || this.setting.world === 'clocks') return;
    this.#late.push({ sent, at: Math.max(this.time, answerAt + lateMs) });
  }

  /** Accepted after its client has left, unless its name was accepted meanwhile, or there is no room. */
  #acceptLate(sent: Sent, at: number): void {
    if (this.#isNameTaken(sent)) return;
    const models = [this.#token, this.#address];
    if (models.some((model) => !model.hasRoomAt(at))) {
      this.#checkMayBeFull(sent);
      return;
    }
    for (const model of models) model.accept(at, true);
    sent.stampedAt = { time: at, forward: this.#forward };
    this.#note(() => `${sent.request.item} is accepted late`);
    this.#checkWindows(sent, sent.stampedAt);
  }

  /** The service accepts a name once: of submissions that replace one another. */
  #isNameTaken({ replaced, replacedBy }: Sent): boolean {
    for (let one = replaced; one; one = one.replaced) if (one.stampedAt) return true;
    for (let one = replacedBy; one; one = one.replacedBy) if (one.stampedAt) return true;
    return false;
  }

  /** Submissions of unknown outcome whose job the service has, or has not yet. */
  unsure(accepted: boolean): Sent[] {
    return this.expected
      .unsure(this.moment)
      .filter((sent) => this.expected.unsettled.get(requestKey(sent.request)) === sent)
      .filter((sent) => (sent.stampedAt !== null || this.#isNameTaken(sent)) === accepted);
  }

  /** Its item has not asked since. */
  isLatest(request: Request): boolean {
    const latest = this.items.get(request.item);
    return latest !== undefined && buildSlotKey(latest) === buildSlotKey(request);
  }

  /** A look-up has found its job. */
  find(sent: Sent): void {
    this.expected.finds(sent, this.moment);
    this.#settle(sent.request, { type: 'found' });
  }

  /** All look-ups end, and say that there is no job. */
  endLookUps(): void {
    for (const sent of [...this.expected.unsettled.values()]) {
      this.expected.ends(sent);
      this.#settle(sent.request, { type: 'ended' });
    }
  }

  /** A look-up has not found it: it is sent once more, in its slot if it is certainly absent. */
  repeat({ request }: Sent, isAbsent: boolean): void {
    const { replaces: _, ...plain } = request;
    const next = { ...plain, attempt: request.attempt + 1, attempts: [] };
    const again = isAbsent ? { ...next, replaces: buildSlotKey(request) } : next;
    this.items.set(request.item, again);
    this.expected.asksAgain(again);
    this.#settle(request, { type: 'again', attempts: [], isAbsent });
  }

  #settle({ item, run }: Request, settlement: Settlement): void {
    this.#tell({ type: 'settled', item, run, settlement });
    // Read at once: before that, another submission may use its slot.
    if (this.#isOld) {
      const events = this.budget.state.untimed.length;
      this.#reading = { at: this.time, arrivesAt: this.time, events };
      this.#takeReading();
    }
    this.#decide();
  }

  /**
   * No other submission was in progress or of unknown outcome, and no limit was changed, since it was sent.
   */
  #wasAlone(sent: Sent): boolean {
    const { number, sentAt } = sent;
    if (this.#stepped || !sentAt || !this.expected.hasPolicyOf(sent)) return false;
    if (this.expected.unsure(sentAt).length > 0) return false;
    return this.expected.sent.every(
      (other) =>
        other.number === number ||
        (other.number < number && other.closedAt !== null && other.closedAt.time < sentAt.time),
    );
  }

  /**
   * A slot became free while it was in progress. Slots of others are counted from closes of ours, so
   * if none of ours became free, none of those did either.
   */
  #wasFreedSince({ sentAt }: Sent, { windowMs }: Window): boolean {
    if (!sentAt) return false;
    return this.expected.sent.some(
      ({ chargedAt }) =>
        chargedAt &&
        passed(chargedAt, this.moment) >= windowMs + GUARD_MS &&
        passed(chargedAt, sentAt) < windowMs + GUARD_MS,
    );
  }
}
