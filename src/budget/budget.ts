/**
 * The budget of one token at a service: its windows, the lines of the campaigns, and the waits that the service ordered.
 * Pure: (state, event, now) → decisions, without a clock, a network or Temporal. The same code runs in the budget
 * workflow, in `hundredfold status`, and in the forecast of `hundredfold plan`.
 *
 * The state is plain data (continue-as-new carries it) and is changed in place, so that an event does not copy the
 * queues.
 */
import { LATEST_ACCEPTANCE_MS } from '../domain/limits.ts';
import { observe, computeHeldUntil, sweepHolds } from './block.ts';
import {
  close,
  dropUnsettled,
  settleDue,
  settleSubmission,
  countOpenJobs,
  noteCount,
  readUsage,
  mayHaveJob,
} from './closing.ts';
import {
  type BudgetEvent,
  type Restored,
  forgetBefore,
  MAX_UNSETTLED,
  setPolicy,
  type Budget,
  type Grant,
  type Unsure,
} from './state.ts';
import { createTicket, findRoom, restore, takeSlot, type Ticket, type Usage } from './policy.ts';
import {
  addToQueue,
  sortLines,
  raiseOutranked,
  pauseCampaign,
  sweep,
  takeTurn,
  withdrawRun,
  type Line,
  requestKey,
  buildSlotKey,
  type CampaignRun,
  type Request,
} from './queue.ts';

export { createBudget, type Budget, type Grant, type Unsure } from './state.ts';

export interface Decision {
  /** Submit these now, in this order. */
  readonly grants: Grant[];
  /** Decide again at this time (ms), when a slot becomes free for a waiting request. null: only an event can help. */
  readonly wakeAt: number | null;
}

/**
 * Takes an event in. `now` is the last reading of the clock, which may be old. What is counted from the moment of the
 * event waits for a later one (`applyReading`); until then a submission that has ended is in flight.
 */
export function take(state: Budget, event: BudgetEvent, now: number): void {
  if (!isTimed(event)) {
    apply(state, event, now);
    return;
  }
  state.untimed.push(event);
  if (event.type === 'close') markEnded(state, event);
}

/** The clock shows `now`: it was read after the first `events` of those that waited for it. */
export function applyReading(state: Budget, events: number, now: number): void {
  for (const event of state.untimed.splice(0, events)) apply(state, event, now);
}

function isTimed({ type }: BudgetEvent): boolean {
  return type === 'close' || type === 'settled' || type === 'observe' || type === 'restore';
}

/** Applies an event to the state. Decisions follow from `decide`. */
function apply(state: Budget, event: BudgetEvent, now: number): void {
  switch (event.type) {
    case 'configure':
      return configure(state, event);
    case 'request':
      return ask(state, event.request);
    case 'withdrawRun':
      withdrawRun(state.queue, event);
      dropUnsettled(state, event);
      for (const { request } of listGrants(state, event)) markWithdrawn(state, request, true);
      return;
    case 'pause':
      return pauseCampaign(state.queue, event.campaign, event.paused);
    case 'close':
      return close(state, event, now);
    case 'settled':
      return settleSubmission(state, event, now);
    case 'counted':
      return noteCount(state, event.count, now);
    case 'observe':
      return observe(state.block, event.reason, state.granted, now);
    case 'restore':
      return takeOver(state, event.restored, now);
  }
}

/** Grants what is free at `now` to those whose turn it is, and returns when to decide again. */
export function decide(state: Budget, now: number): Decision {
  const grants: Grant[] = [];
  if (isAwaitingReading(state)) return { grants, wakeAt: null };
  settleDue(state, now);
  for (;;) {
    const lines = sortLines(state.queue);
    const line = nextTurn(state, lines, now);
    if (!line) break;
    grants.push(grant(state, line, now));
  }
  sweep(state.queue);
  state.holds = sweepHolds(state.holds, now);
  const openings = sortLines(state.queue)
    .map((line) => computeOpenTime(state, line, now))
    .filter(Number.isFinite);
  return { grants, wakeAt: openings.length > 0 ? Math.min(...openings) : null };
}

/**
 * Open jobs were never counted, jobs of others are counted, or one has ended in a way that orders a wait, which begins with
 * the next reading.
 */
function isAwaitingReading({ open, outstanding, untimed }: Budget): boolean {
  if (open?.countedAt === null) return true;
  if (untimed.some(({ type }) => type === 'restore')) return true;
  return Object.values(outstanding).some(
    ({ ended }) => ended === 'notNow' || ended === 'deferred' || ended === 'unsure',
  );
}

function markEnded(
  { outstanding }: Budget,
  { result, ...of }: Extract<BudgetEvent, { type: 'close' }>,
): void {
  const key = requestKey(of);
  const granted = outstanding[key];
  if (!granted) throw new Error(`item ${of.item} has no submission on its way`);
  outstanding[key] = { ...granted, ended: result.type };
}

/**
 * A row whose submission is in progress or looked up waits for that, and not for a second one. One that was answered has
 * a note and a record, so that its slot is all that another request may cost.
 */
function ask(state: Budget, request: Request): void {
  const key = requestKey(request);
  if (key in state.unsettled) return;
  if (key in state.outstanding) markWithdrawn(state, request, false);
  else addToQueue(state.queue, request);
}

/** Submissions in progress that one run of a campaign has requested. */
function listGrants({ outstanding }: Budget, of: CampaignRun): Grant[] {
  return Object.values(outstanding).filter(
    ({ request: { campaign, run } }) => campaign === of.campaign && run === of.run,
  );
}

function markWithdrawn(state: Budget, of: Pick<Request, 'item' | 'run'>, withdrawn: boolean): void {
  const key = requestKey(of);
  const granted = state.outstanding[key];
  if (granted) state.outstanding[key] = { ...granted, withdrawn };
}

function takeOver(state: Budget, restored: Restored, now: number): void {
  const { from, reason, ages } = restored;
  if (state.restored?.from === from) return;
  state.restored = { from, at: now, reason };
  if (ages === null) forgetBefore(state, now + LATEST_ACCEPTANCE_MS);
  else
    restore(
      state.charges,
      ages.map((age) => now - age),
    );
}

/** The first line that has a slot. */
function nextTurn(state: Budget, lines: readonly Line[], now: number): Line | undefined {
  const isOpen = (line: Line): boolean => computeOpenTime(state, line, now) <= now;
  // Before all turns: its slot is one that no other request can use.
  return lines.find((line) => findReplaced(state, line) && isOpen(line)) ?? lines.find(isOpen);
}

/** When the head of a line may be submitted, as far as time alone decides; `Infinity` when an answer must come first. */
function computeOpenTime(state: Budget, line: Line, now: number): number {
  const { policy, block } = state;
  const usage = readUsage(state);
  const unsure = Object.values(state.unsure);
  const outstanding = Object.values(state.outstanding);
  const tooMany = outstanding.filter(({ ended }) => !ended).length >= state.maxOutstanding;
  const probeOut = block.probing && outstanding.length > 0;
  const tooManyUnsettled = Object.keys(state.unsettled).length >= MAX_UNSETTLED;
  if (tooMany || probeOut || tooManyUnsettled) return Number.POSITIVE_INFINITY;
  const blocked = Math.max(block.until, computeHeldUntil(state.holds, line.campaign));
  const replaced = findReplaced(state, line);
  if (replaced) {
    // The slot that it uses counts once, and a limit that was lowered meanwhile applies.
    const others = { ...usage, inFlight: usage.inFlight - 1, ...subtractOpenJob(usage) };
    const { nextAt } = findRoom(policy, others, now, listUnsureTimes(unsure, replaced));
    const opens = Math.max(blocked, nextAt);
    if (opens < replaced.settlesBy) return opens;
  }
  return Math.max(blocked, findRoom(policy, usage, now, listUnsureTimes(unsure)).nextAt);
}

function subtractOpenJob({ open }: Usage): Pick<Usage, 'open'> {
  return open === undefined ? {} : { open: open - 1 };
}

function listUnsureTimes(unsure: readonly Unsure[], without?: Unsure): number[] {
  return unsure
    .filter((one) => one !== without)
    .map(({ settlesBy }) => settlesBy)
    .sort((a, b) => a - b);
}

/**
 * The submission of unknown outcome whose slot the head of a line uses. Where the service counts what is sent, each needs its
 * own.
 */
function findReplaced({ policy, unsure }: Budget, { waiting: [head] }: Line): Unsure | undefined {
  return policy.counts === 'accepted' ? unsure[head?.replaces ?? ''] : undefined;
}

function grant(state: Budget, line: Line, now: number): Grant {
  const replaced = findReplaced(state, line);
  // Its slot had its turn.
  if (replaced) line.owed += 1;
  const request = takeTurn(line);
  raiseOutranked(state.queue, line);
  const ticket = takeFor(state, replaced, now);
  const granted: Grant = {
    request,
    ticket,
    notBefore: now,
    number: state.granted,
    probe: state.block.probing,
    withdrawn: false,
    ...(replaced && { replaced }),
    ...(mayHaveJob(state, request) && { mayHaveJob: true }),
  };
  state.outstanding[requestKey(request)] = granted;
  state.counts.submissions += 1;
  return granted;
}

function takeFor(state: Budget, replaced: Unsure | undefined, now: number): Ticket {
  const { charges, policy } = state;
  state.granted += 1;
  if (!replaced) return takeSlot(charges, policy, now);
  Reflect.deleteProperty(state.unsure, buildSlotKey(replaced.request));
  // The slot is taken already.
  return createTicket(charges, policy, now);
}

/** A policy may change while jobs are charged: they stay charged, under the new one. */
function configure(state: Budget, event: Extract<BudgetEvent, { type: 'configure' }>): void {
  setPolicy(state, event.policy);
  countOpenJobs(state);
  if (event.submitQueue === undefined) delete state.submitQueue;
  else state.submitQueue = event.submitQueue;
}

/** A timer may fire a second late: the server looks that far ahead for the timers of its next round. In ms. */
const MAX_LEAD_MS = 1_500;
/** What is given out cannot be taken back by a pause or a change of the limit: of a short window, a small part only. */
const SHARE_OF_WINDOW = 0.1;

interface DecisionAhead extends Decision {
  /** What `wakeAt` is a little ahead of: when a slot is free, or a block over (ms). */
  readonly opensAt: number | null;
}

/** Like `decide`, for `now` and the time just after it. Each grant says from when on it holds. */
export function decideWithLead(state: Budget, now: number): DecisionAhead {
  const lead = computeLeadMs(state);
  const grants: Grant[] = [];
  for (let at = now; ;) {
    const decision = decide(state, at);
    grants.push(...decision.grants);
    const { wakeAt } = decision;
    if (wakeAt === null) return { grants, wakeAt, opensAt: null };
    if (wakeAt > now + lead) return { grants, wakeAt: wakeAt - lead, opensAt: wakeAt };
    at = wakeAt;
  }
}

function computeLeadMs({ policy: { windows } }: Budget): number {
  return Math.min(MAX_LEAD_MS, ...windows.map(({ windowMs }) => windowMs * SHARE_OF_WINDOW));
}
