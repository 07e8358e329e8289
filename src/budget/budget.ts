/**
 * The budget of one service address: a window for the address, one for each credential, the lanes of the
 * campaigns, and the blocks that the service ordered. Pure: (state, event, now) → decisions. It knows no clock,
 * no network and nothing of Temporal; the same code runs in the budget workflow, explains itself in
 * `hundredfold budget`, and predicts the end in `hundredfold plan`.
 *
 * The state is plain data (it travels through continue-as-new) and is changed in place, so that an event costs
 * no copy of the queues.
 */
import { blockedUntil, newBlock, recover, refuse, type Block } from './block.ts';
import type { BudgetEvent, Closing } from './events.ts';
import {
  enqueue,
  inTurn,
  newQueue,
  passOver,
  pauseCampaign,
  putBack,
  sweep,
  takeTurn,
  withdraw,
  type Lane,
  type Queue,
  type Request,
  type Waiting,
} from './lanes.ts';
import {
  charge,
  free,
  giveBack,
  newWindow,
  nextFree,
  reconcile,
  setLimit,
  take,
  type Limit,
  type Ticket,
  type Window,
} from './window.ts';

export type { Limit };

export const NO_LIMIT: Limit = { limit: null, windowMs: 0 };

export interface BudgetState {
  address: Window;
  addressBlock: Block;
  credentials: Record<string, { window: Window; block: Block }>;
  queue: Queue;
  /** Requests on their way, by item. */
  outstanding: Record<string, Grant>;
  /** Requests answered a short while ago, by item, oldest first: one that arrives again is not served again. */
  answered: Record<string, Answered>;
  /** Most requests on their way at once: a service gets a burst, not a flood. */
  maxOutstanding: number;
  counts: { submissions: number; accepted: number; refused: number; rejected429: number };
}

/** Leave to submit one item. */
export interface Grant {
  readonly request: Waiting;
  /** From when on it holds (ms). */
  readonly notBefore: number;
  readonly ticket: Ticket;
  /** Counts all grants of the address, from 1: tells which of two requests was sent first. */
  readonly number: number;
  /** The first after the service was down: it is asked whether it is there before the job is risked on it. */
  readonly probe: boolean;
  /** Nobody waits for the answer any more: should the service say "not now", it is not asked again. */
  readonly withdrawn: boolean;
}

interface Answered {
  readonly generation: number;
  readonly attempt: number;
  /** ms */
  readonly at: number;
}

export interface Decision {
  /** Submit these now, in this order. */
  readonly grants: Grant[];
  /** Ask again at this time (ms): someone waits and time alone will free a slot. null: only an event can help. */
  readonly wakeAt: number | null;
}

export const MAX_OUTSTANDING = 100;

export function newBudget(): BudgetState {
  return {
    address: newWindow(null, 0),
    addressBlock: newBlock(),
    credentials: {},
    queue: newQueue(),
    outstanding: {},
    answered: {},
    maxOutstanding: MAX_OUTSTANDING,
    counts: { submissions: 0, accepted: 0, refused: 0, rejected429: 0 },
  };
}

/** Takes in what happened. Decisions follow from `decide`. */
export function apply(state: BudgetState, event: BudgetEvent, now: number): void {
  switch (event.type) {
    case 'configure':
      return configure(state, event);
    case 'request':
      return ask(state, event.request);
    case 'withdraw':
      withdraw(state.queue, event.item);
      markWithdrawn(state, event.item, true);
      return;
    case 'pause':
      return pauseCampaign(state.queue, event.campaign, event.paused);
    case 'close':
      return close(state, event.item, event.closing, now);
  }
}

/** Gives out what is free at `now` to those whose turn it is, and says when to ask again. */
export function decide(state: BudgetState, now: number): Decision {
  const grants: Grant[] = [];
  for (;;) {
    const lanes = inTurn(state.queue);
    const lane = lanes.find((candidate) => opensAt(state, candidate, now) <= now);
    if (!lane) break;
    passOver(lanes, lane);
    grants.push(grant(state, lane, now));
  }
  sweep(state.queue);
  const openings = inTurn(state.queue)
    .map((lane) => opensAt(state, lane, now))
    .filter(Number.isFinite);
  return { grants, wakeAt: openings.length > 0 ? Math.min(...openings) : null };
}

/** An item that is on its way, or was just answered, waits for that answer and not for a second submission. */
function ask(state: BudgetState, request: Request): void {
  if (request.item in state.outstanding) markWithdrawn(state, request.item, false);
  else if (!wasAnswered(state, request)) enqueue(state.queue, request);
}

/** A later generation is the item's next life: what an earlier one was told is nothing to it. */
function wasAnswered(state: BudgetState, { item, attempt, job: { generation } }: Request): boolean {
  const known = state.answered[item];
  if (!known) return false;
  return known.generation === generation ? known.attempt >= attempt : known.generation > generation;
}

function markWithdrawn(state: BudgetState, item: string, withdrawn: boolean): void {
  const granted = state.outstanding[item];
  if (granted) state.outstanding[item] = { ...granted, withdrawn };
}

/** When the head of a lane may be submitted, as far as time alone decides; `Infinity` when an answer must come first. */
function opensAt(state: BudgetState, lane: Lane, now: number): number {
  const { window, block } = credentialOf(state, lane.credential);
  const tooMany = Object.keys(state.outstanding).length >= state.maxOutstanding;
  const probeOut =
    (block.probing && window.inFlight > 0) ||
    (state.addressBlock.probing && state.address.inFlight > 0);
  if (tooMany || probeOut) return Number.POSITIVE_INFINITY;
  return Math.max(
    blockedUntil(block, now),
    blockedUntil(state.addressBlock, now),
    nextFree(window, now),
    nextFree(state.address, now),
  );
}

function grant(state: BudgetState, lane: Lane, now: number): Grant {
  const request = takeTurn(lane);
  take(state.address, now);
  const ticket = take(credentialOf(state, request.credential).window, now);
  const probe = state.addressBlock.probing;
  const granted: Grant = {
    ...{ request, ticket, notBefore: now, number: state.address.granted, probe },
    withdrawn: false,
  };
  state.outstanding[request.item] = granted;
  state.counts.submissions += 1;
  return granted;
}

function close(state: BudgetState, item: string, closing: Closing, now: number): void {
  const granted = state.outstanding[item];
  if (!granted) throw new Error(`item ${item} has no submission on its way`);
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
  delete state.outstanding[item];
  remember(state, granted.request, now);
  const { window, block } = credentialOf(state, granted.request.credential);
  switch (closing.type) {
    case 'accepted':
      if (closing.rateLimit?.remaining != null) {
        reconcile(window, granted.ticket, closing.rateLimit.remaining, now);
      }
      chargeBoth(state, window, now);
      recover(block, granted.number);
      recover(state.addressBlock, granted.number);
      state.counts.accepted += 1;
      return;
    case 'unsure':
      chargeBoth(state, window, now);
      if (closing.unwell !== undefined) {
        const refusal = { retryAfterMs: null, reason: closing.unwell, number: granted.number };
        refuse(state.addressBlock, refusal, state.address.granted, now);
      }
      return;
    case 'refused':
      giveBackBoth(state, window);
      recover(state.addressBlock, granted.number);
      state.counts.refused += 1;
      return;
    case 'notNow':
      giveBackBoth(state, window);
      return turnAway(state, granted, closing, now);
  }
}

/** Not an answer to the item: it keeps its turn, and the service is left alone. */
function turnAway(
  state: BudgetState,
  { request, number, withdrawn }: Grant,
  { reason, retryAfterMs, message }: Extract<Closing, { type: 'notNow' }>,
  now: number,
): void {
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
  delete state.answered[request.item];
  if (!withdrawn) putBack(state.queue, request, { at: now, reason, message });
  // A 429 is about the credential; a service that is down is down for everyone.
  const limited = reason === 'rate-limited';
  const block = limited ? credentialOf(state, request.credential).block : state.addressBlock;
  refuse(block, { retryAfterMs, reason: message, number }, state.address.granted, now);
  if (limited) state.counts.rejected429 += 1;
}

/** Signals are delivered within milliseconds; whatever asks again does so within seconds. */
const ANSWERED_FOR_MS = 60_000;

function remember(state: BudgetState, { item, attempt, job }: Request, now: number): void {
  for (const old in state.answered) {
    // Both ways: the clock may have been set back.
    if (Math.abs(now - (state.answered[old]?.at ?? 0)) < ANSWERED_FOR_MS) break;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
    delete state.answered[old];
  }
  // Removed first, so that it goes to the end: the oldest stay in front.
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
  delete state.answered[item];
  state.answered[item] = { generation: job.generation, attempt, at: now };
}

function chargeBoth(state: BudgetState, window: Window, now: number): void {
  charge(window, now);
  charge(state.address, now);
}

function giveBackBoth(state: BudgetState, window: Window): void {
  giveBack(window);
  giveBack(state.address);
}

/** Limits may change while jobs are charged. */
function configure(
  state: BudgetState,
  event: { credential: string; credentialLimit: Limit; addressLimit: Limit },
): void {
  setLimit(state.address, event.addressLimit);
  setLimit(credentialOf(state, event.credential).window, event.credentialLimit);
}

function credentialOf(state: BudgetState, name: string): { window: Window; block: Block } {
  return (state.credentials[name] ??= { window: newWindow(0, 0), block: newBlock() });
}

/** Slots that a credential may use at `now`, under both windows. */
export function freeSlots(state: BudgetState, credential: string, now: number): number {
  return Math.min(free(credentialOf(state, credential).window, now), free(state.address, now));
}
