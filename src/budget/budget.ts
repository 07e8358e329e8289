/**
 * The budget of one service address: a window for the address, one for each credential, the lanes of the
 * campaigns, and the blocks that the service ordered. Pure: (state, event, now) → decisions, without a
 * clock, a network or Temporal. The same code runs in the budget workflow, in `hundredfold budget`, and in the
 * forecast of `hundredfold plan`.
 *
 * The state is plain data (continue-as-new carries it) and is changed in place, so that an event does not copy the
 * queues.
 */
import { sweepAnswered, wasAnswered } from './answered.ts';
import { blockedUntil, observe } from './block.ts';
import { close } from './closing.ts';
import { isInDoubt } from './doubt.ts';
import type { BudgetEvent, Restored } from './events.ts';
import { heldUntil, sweepHolds } from './holds.ts';
import {
  credentialsOf,
  enqueue,
  inTurn,
  outrank,
  passOver,
  pauseCampaign,
  rivals,
  sweep,
  takeTurn,
  withdraw,
  withdrawRun,
  type Lane,
} from './lanes.ts';
import { requestKey, type CampaignRun, type Request } from './request.ts';
import { credentialOf, holdsOf, type Budget, type Grant } from './state.ts';
import { boundUnfinished, noteCount, roomAt } from './unfinished.ts';
import { noteGranted } from './use.ts';
import {
  nextFree,
  restore,
  setLimit,
  take,
  type Charges,
  type Limit,
  type Window,
} from './window.ts';

export { MAX_OUTSTANDING, newBudget, NO_LIMIT, type Budget, type Grant } from './state.ts';
export type { Limit };

export interface Decision {
  /** Submit these now, in this order. */
  readonly grants: Grant[];
  /** Decide again at this time (ms), when a slot becomes free for a waiting request. null: only an event can help. */
  readonly wakeAt: number | null;
}

/** Applies an event to the state. Decisions follow from `decide`. */
export function apply(state: Budget, event: BudgetEvent, now: number): void {
  switch (event.type) {
    case 'configure':
      return configure(state, event);
    case 'request':
      return ask(state, event.request, now);
    case 'withdraw':
      withdraw(state.queue, event);
      markWithdrawn(state, event, true);
      return;
    case 'withdrawRun':
      withdrawRun(state.queue, event);
      for (const { request } of grantsOf(state, event)) markWithdrawn(state, request, true);
      return;
    case 'pause':
      return pauseCampaign(state.queue, event.campaign, event.paused);
    case 'close':
      return close(state, event, now);
    case 'counted':
      return noteCount(state, event.count, now);
    case 'observe':
      return observe(state.addressBlock, event.reason, state.address.granted, now);
    case 'restore':
      return takeOver(state, event.restored);
  }
}

/** Grants what is free at `now` to those whose turn it is, and returns when to decide again. */
export function decide(state: Budget, now: number): Decision {
  const grants: Grant[] = [];
  for (;;) {
    const lanes = inTurn(state.queue);
    const turn = nextTurn(state, lanes, now);
    if (!turn) break;
    passOver(lanes, turn.lane, turn.credential);
    grants.push(grant(state, turn, now));
  }
  sweep(state.queue);
  sweepHolds(holdsOf(state), now);
  sweepAnswered(state, now);
  const openings = inTurn(state.queue)
    .map((lane) => opensAt(state, lane, now))
    .filter(Number.isFinite);
  return { grants, wakeAt: openings.length > 0 ? Math.min(...openings) : null };
}

/** An item whose submission is in progress, or was just answered, waits for that answer and not for a second one. */
function ask(state: Budget, request: Request, now: number): void {
  if (requestKey(request) in state.outstanding) markWithdrawn(state, request, false);
  else if (!wasAnswered(state.answered, request, now)) enqueue(state.queue, request);
}

/** Submissions in progress that one run of a campaign has requested. */
function grantsOf({ outstanding }: Budget, of: CampaignRun): Grant[] {
  return Object.values(outstanding).filter(
    ({ request: { campaign, run } }) => campaign === of.campaign && run === of.run,
  );
}

function markWithdrawn(state: Budget, of: Pick<Request, 'item' | 'run'>, withdrawn: boolean): void {
  const key = requestKey(of);
  const granted = state.outstanding[key];
  if (granted) state.outstanding[key] = { ...granted, withdrawn };
}

/** What a budget before this one had charged; each recovery counts once, however often it is reported. */
function takeOver(state: Budget, { from, at, reason, closes, paused }: Restored): void {
  if (state.restored?.from === from) return;
  state.restored = { from, at, reason };
  for (const [credential, charged] of Object.entries(closes)) {
    restore(credentialOf(state, credential).window, charged);
    restore(state.address, charged);
  }
  for (const campaign of paused) pauseCampaign(state.queue, campaign, true);
}

interface Turn {
  readonly lane: Lane;
  readonly credential: string;
}

/** The first lane that has a slot, with the first of its credentials that has one. */
function nextTurn(state: Budget, lanes: readonly Lane[], now: number): Turn | null {
  const isOpen = (lane: Lane, credential: string): boolean =>
    opensWith(state, lane, credential, now) <= now;
  for (const lane of lanes) {
    const credential = credentialsOf(lane).find(
      (one) => isOpen(lane, one) && !rivals(lanes, lane, one).some((rival) => isOpen(rival, one)),
    );
    if (credential !== undefined) return { lane, credential };
  }
  return null;
}

/** When the head of a lane may be submitted, as far as time alone decides; `Infinity` when an answer must come first. */
function opensAt(state: Budget, lane: Lane, now: number): number {
  return Math.min(...credentialsOf(lane).map((one) => opensWith(state, lane, one, now)));
}

/** The same with one of its credentials. */
function opensWith(state: Budget, lane: Lane, credential: string, now: number): number {
  const { window, block } = credentialOf(state, credential);
  const tooMany = Object.keys(state.outstanding).length >= state.maxOutstanding;
  const probeOut =
    (block.probing && window.inFlight > 0) ||
    (state.addressBlock.probing && state.address.inFlight > 0);
  if (tooMany || probeOut) return Number.POSITIVE_INFINITY;
  return Math.max(
    roomAt(state, now),
    blockedUntil(block, now),
    blockedUntil(state.addressBlock, now),
    heldUntil(holdsOf(state), { campaign: lane.campaign, credential }),
    nextFree(leaving(window, lane), now),
    nextFree(state.address, now),
  );
}

/** The window as a campaign sees it that reserves slots for others: smaller, but with one slot at least. */
function leaving(window: Window, { reserve = 0 }: Lane): Charges {
  const { limit, windowMs, inFlight, closes } = window;
  if (limit === null || reserve === 0) return window;
  return { limit: Math.max(Math.min(1, limit), limit - reserve), windowMs, inFlight, closes };
}

function grant(state: Budget, { lane, credential: chosen }: Turn, now: number): Grant {
  const head = takeTurn(lane);
  const elsewhere = { ...head, credential: chosen, home: head.credential };
  const request = chosen === head.credential ? head : elsewhere;
  outrank(state.queue, lane, chosen);
  take(state.address, now);
  const credential = credentialOf(state, chosen);
  const { window, block, replaced } = credential;
  noteGranted(credential, request);
  const ticket = take(window, now);
  const probe = state.addressBlock.probing;
  // Where there are several, the next one is tried, and none takes the place of another.
  const mayReplace =
    request.others === undefined && (replaced === true || block.refusesSince !== undefined);
  const granted: Grant = {
    request,
    ticket,
    notBefore: now,
    number: state.address.granted,
    probe,
    withdrawn: false,
    ...(mayReplace && { mayReplace }),
    ...(isInDoubt(state, request) && { inDoubt: true }),
  };
  state.outstanding[requestKey(request)] = granted;
  state.counts.submissions += 1;
  return granted;
}

/** Limits may change while jobs are charged. */
function configure(state: Budget, event: Extract<BudgetEvent, { type: 'configure' }>): void {
  boundUnfinished(state, event.maxUnfinished ?? null);
  setLimit(state.address, event.addressLimit);
  const credential = credentialOf(state, event.credential);
  setLimit(credential.window, event.credentialLimit);
  if (event.submitQueue === undefined) delete credential.submitQueue;
  else credential.submitQueue = event.submitQueue;
}

/** The limits that a credential is under now. */
export function limitsOf(
  state: Budget,
  credential: string,
): { readonly credential: Limit; readonly address: Limit } {
  const of = ({ limit, windowMs }: Limit): Limit => ({ limit, windowMs });
  return { credential: of(credentialOf(state, credential).window), address: of(state.address) };
}
