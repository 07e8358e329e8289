/**
 * The budget of one service address: a window for the address, one for each credential, the lanes of the
 * campaigns, and the blocks that the service ordered. Pure: (state, event, now) → decisions. It knows no clock,
 * no network and nothing of Temporal; the same code runs in the budget workflow, explains itself in
 * `hundredfold budget`, and predicts the end in `hundredfold plan`.
 *
 * The state is plain data (it travels through continue-as-new) and is changed in place, so that an event costs
 * no copy of the queues.
 */
import type { RateLimitSeen } from '../domain/outcomes.ts';
import { newBlock, recover, refuse, type Block } from './block.ts';
import {
  enqueue,
  inTurn,
  newQueue,
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
  take,
  type Ticket,
  type Window,
} from './window.ts';

/** A limit as configured: jobs in a rolling window. */
export interface Limit {
  readonly limit: number | null;
  /** ms */
  readonly windowMs: number;
}

export const NO_LIMIT: Limit = { limit: null, windowMs: 0 };

export interface BudgetState {
  address: Window;
  addressBlock: Block;
  credentials: Record<string, { window: Window; block: Block }>;
  queue: Queue;
  /** Requests on their way, by item. */
  outstanding: Record<string, Grant>;
  /** Requests answered a short while ago, by item, oldest first: one that arrives again is not served again. */
  answered: Record<string, { attempt: number; at: number }>;
  /** Most requests on their way at once: a service gets a burst, not a flood. */
  maxOutstanding: number;
  counts: { submissions: number; accepted: number; refused: number; rejected429: number };
}

/** Leave to submit one item now. */
export interface Grant {
  readonly request: Waiting;
  readonly ticket: Ticket;
  /** When the leave was given (ms). */
  readonly at: number;
}

/** How a submission ended, seen from the budget. */
export type Closing =
  | { readonly type: 'accepted'; readonly rateLimit: RateLimitSeen | null }
  /** Certainly no job, and final for the item. */
  | { readonly type: 'refused' }
  /** Certainly no job; the item keeps its turn and the service is left alone for a while. */
  | {
      readonly type: 'notNow';
      readonly reason: 'rate-limited' | 'unavailable' | 'unreachable';
      readonly retryAfterMs: number | null;
      readonly message: string;
    }
  /** Perhaps a job: charged. */
  | { readonly type: 'unsure' };

export type BudgetEvent =
  | {
      readonly type: 'configure';
      readonly credential: string;
      readonly credentialLimit: Limit;
      readonly addressLimit: Limit;
    }
  | { readonly type: 'request'; readonly request: Request }
  | { readonly type: 'withdraw'; readonly item: string }
  | { readonly type: 'pause'; readonly campaign: string; readonly paused: boolean }
  | { readonly type: 'close'; readonly item: string; readonly closing: Closing };

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
      if (!isKnown(state, event.request)) enqueue(state.queue, event.request);
      return;
    case 'withdraw':
      withdraw(state.queue, event.item);
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
    const lane = inTurn(state.queue).find((candidate) => opensAt(state, candidate, now) <= now);
    if (!lane) break;
    grants.push(grant(state, lane, now));
  }
  sweep(state.queue);
  const openings = inTurn(state.queue)
    .map((lane) => opensAt(state, lane, now))
    .filter(Number.isFinite);
  return { grants, wakeAt: openings.length > 0 ? Math.min(...openings) : null };
}

/** An item that is on its way, or was just answered, waits for that answer and not for a second submission. */
function isKnown(state: BudgetState, { item, attempt }: Request): boolean {
  return item in state.outstanding || (state.answered[item]?.attempt ?? -1) >= attempt;
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
    block.until,
    state.addressBlock.until,
    nextFree(window, now),
    nextFree(state.address, now),
  );
}

function grant(state: BudgetState, lane: Lane, now: number): Grant {
  const request = takeTurn(lane);
  take(state.address, now);
  const ticket = take(credentialOf(state, request.credential).window, now);
  const granted = { request, ticket, at: now };
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
      recover(block, granted.at);
      recover(state.addressBlock, granted.at);
      state.counts.accepted += 1;
      return;
    case 'unsure':
      chargeBoth(state, window, now);
      return;
    case 'refused':
      giveBackBoth(state, window);
      recover(state.addressBlock, granted.at);
      state.counts.refused += 1;
      return;
    case 'notNow':
      // Not an answer to the item: it keeps waiting.
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
      delete state.answered[item];
      giveBackBoth(state, window);
      putBack(state.queue, granted.request, {
        at: now,
        reason: closing.reason,
        message: closing.message,
      });
      refuse(
        // A 429 is about the credential; a service that is down is down for everyone.
        closing.reason === 'rate-limited' ? block : state.addressBlock,
        closing.retryAfterMs,
        closing.message,
        granted.at,
        now,
      );
      if (closing.reason === 'rate-limited') state.counts.rejected429 += 1;
      return;
  }
}

/** Signals are delivered within milliseconds; whatever asks again does so within seconds. */
const ANSWERED_FOR_MS = 60_000;

function remember(state: BudgetState, { item, attempt }: Request, now: number): void {
  for (const [old, { at }] of Object.entries(state.answered)) {
    if (now - at < ANSWERED_FOR_MS) break;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
    delete state.answered[old];
  }
  state.answered[item] = { attempt, at: now };
}

function chargeBoth(state: BudgetState, window: Window, now: number): void {
  charge(window, now);
  charge(state.address, now);
}

function giveBackBoth(state: BudgetState, window: Window): void {
  giveBack(window);
  giveBack(state.address);
}

/** Limits may change while jobs are charged: what was charged stays charged, under the new length. */
function configure(
  state: BudgetState,
  event: { credential: string; credentialLimit: Limit; addressLimit: Limit },
): void {
  Object.assign(state.address, event.addressLimit);
  Object.assign(credentialOf(state, event.credential).window, event.credentialLimit);
}

function credentialOf(state: BudgetState, name: string): { window: Window; block: Block } {
  return (state.credentials[name] ??= { window: newWindow(0, 0), block: newBlock() });
}

/** Slots that a credential may use at `now`, under both windows. */
export function freeSlots(state: BudgetState, credential: string, now: number): number {
  return Math.min(free(credentialOf(state, credential).window, now), free(state.address, now));
}
