/**
 * What keeps submissions from being sent although a slot is free.
 *
 * A block: the service said "not now", or could not be reached. Nothing is sent until it is over, and then one request at a
 * time until one of them is accepted. A service that is down receives one request a minute, and no item fails because of
 * it. A hold: a submission was not sent, for a reason that concerns neither the service nor the item.
 */
import { computeGrowingDelay } from '../domain/limits.ts';

export interface Block {
  /** Nothing is sent before this time (ms). */
  until: number;
  /** As far as the service has ordered it (ms). */
  ordered: number;
  /** Requests sent before the last refusal came in, by their number: their answers say nothing new. */
  sentBefore: number;
  /** Refusals in a row: each doubles the delay where the service ordered none. */
  refusals: number;
  /** The last refusal was about the limit of the token: an answer to one row does not show that it is over. */
  limited: boolean;
  /** After a block, one request at a time until an answer shows that the service works. */
  probing: boolean;
  /** Why, in the words of the last refusal. */
  reason: string;
  /** Since when the service refuses us and no single row (ms); null where it is only away. */
  refusesSince: number | null;
  /** It was seen by status requests and downloads, which also show when it is over. */
  observed: boolean;
  /** A notification was sent. */
  told: boolean;
}

const NO_REFUSAL = { refusesSince: null, observed: false, told: false };

const FIRST_DELAY_MS = 1_000;
export const MAX_DELAY_MS = 60_000;
/** A refusal lasts for minutes at least: the reason is a person or a firewall, not a restart. */
export const FIRST_REFUSED_MS = 5_000;

/** A refusal, and the number of the refused request among all that were ever sent. */
interface Refusal {
  /** What the service ordered; null when it said nothing. */
  readonly retryAfterMs: number | null;
  readonly reason: string;
  readonly number: number;
  /** The limit of the token is reached (429). */
  readonly limited?: boolean;
  /** It refuses us: an expired token, a firewall, a wrong address. */
  readonly refusesUs?: boolean;
}

export function createBlock(): Block {
  return {
    until: 0,
    ordered: 0,
    sentBefore: 0,
    refusals: 0,
    limited: false,
    probing: false,
    reason: '',
    ...NO_REFUSAL,
  };
}

/**
 * The service refused; `sent` requests have been sent so far. `longestMs`: of all windows: it is not obeyed for longer
 * than that, but asked once more.
 */
export function refuse(
  block: Block,
  refusal: Refusal,
  { sent, longestMs }: { readonly sent: number; readonly longestMs: number },
  now: number,
): void {
  // Twenty requests refused at once are one refusal: the delay grows once, and the longest order holds.
  if (block.refusals === 0 || refusal.number > block.sentBefore) block.refusals += 1;
  const first = refusal.refusesUs === true ? FIRST_REFUSED_MS : FIRST_DELAY_MS;
  const grown = computeGrowingDelay({ first, longest: MAX_DELAY_MS }, block.refusals);
  // A shorter order is ignored: with `Retry-After: 0` there would be a flood of requests.
  const ordered = Math.min(refusal.retryAfterMs ?? 0, Math.max(longestMs, MAX_DELAY_MS));
  const delay = ordered < FIRST_DELAY_MS ? grown : ordered;
  block.until = Math.max(block.until, now + delay);
  if (delay === ordered) block.ordered = Math.max(block.ordered, now + ordered);
  block.limited = refusal.limited === true;
  block.probing = true;
  const refusesUs = refusal.refusesUs === true;
  const repeats = refusesUs && block.refusesSince !== null;
  // Requests may get different messages for one refusal: the first one is kept.
  if (!repeats || parseHttpStatus(refusal.reason) !== parseHttpStatus(block.reason))
    block.reason = refusal.reason;
  if (refusesUs) block.refusesSince ??= now;
  else Object.assign(block, NO_REFUSAL);
  block.sentBefore = sent;
}

/** The request of this number was accepted. Numbers, because several requests may have one millisecond. */
export function recover(block: Block, number: number): void {
  if (number <= block.sentBefore) return;
  Object.assign(block, createBlock());
}

/** The service has refused one row: it is there again, but that says nothing of our token. */
export function recoverByRefusal(block: Block, number: number): void {
  if (!block.limited && block.refusesSince === null) recover(block, number);
}

/** From status requests and downloads: the message with which the service refuses them, or null when that is over. */
export function observe(block: Block, reason: string | null, sent: number, now: number): void {
  if (reason !== null) {
    const refusal = { retryAfterMs: null, reason, number: sent + 1, refusesUs: true };
    refuse(block, refusal, { sent, longestMs: 0 }, now);
    block.observed = true;
    return;
  }
  if (!block.observed) return;
  // The next submission is still preceded by a probe: a service may refuse the one and not the other.
  Object.assign(block, NO_REFUSAL, { until: Math.max(now, block.ordered) });
}

function parseHttpStatus(reason: string): string | undefined {
  return /HTTP (\d{3})/.exec(reason)?.[1];
}

/** By campaign, and those of all campaigns by `EVERYTHING`. */
export type Holds = Record<string, Hold>;

/** No campaign has this name. */
export const EVERYTHING = '';

export interface Hold {
  /** ms */
  readonly until: number;
  readonly reason: string;
}

/** For the longer of both times. */
export function addHold(holds: Holds, name: string, { until, reason }: Hold): void {
  holds[name] = { until: Math.max(until, holds[name]?.until ?? 0), reason };
}

/** When a request of this campaign is no longer held (ms); 0 when it is not. */
export function computeHeldUntil(holds: Holds, campaign: string): number {
  return Math.max(holds[EVERYTHING]?.until ?? 0, holds[campaign]?.until ?? 0);
}

/** Without those that are over. */
export function sweepHolds(holds: Holds, now: number): Holds {
  return Object.fromEntries(Object.entries(holds).filter(([, { until }]) => until > now));
}
