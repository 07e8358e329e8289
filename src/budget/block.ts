/**
 * A service said "not now", or could not be reached: nothing is sent until the block is over, and then one
 * request at a time until one of them is answered properly. A service that is down thus meets one request a
 * minute, and no item fails because of it.
 */
import { growingDelay } from '../domain/growing-delay.ts';

export interface Block {
  /** Nothing is sent before this time (ms). */
  until: number;
  /** When the last refusal came in (ms). */
  since: number;
  /** Requests sent before the last refusal came in, by their number: their answers say nothing new. */
  sentBefore: number;
  /** Refusals in a row: each doubles the delay where the service ordered none. */
  refusals: number;
  /** After a block, one request at a time until an answer shows that the service is well. */
  probing: boolean;
  /** Why, in the words of the last refusal. */
  reason: string;
  /** Since when the service refuses us and no single row (ms); absent where it is only away. */
  refusesSince?: number;
  /** It was seen by status requests and downloads, which also show when it is over. */
  observed?: boolean;
  /** A notification was sent. */
  told?: boolean;
}

const FIRST_DELAY_MS = 1_000;
export const LONGEST_DELAY_MS = 60_000;
/** Whoever refuses us does so for minutes at least; a person or a firewall is at work, and not a restart. */
export const FIRST_REFUSED_MS = 5_000;

/** What the service said, to a request that is known by its number among all that were ever sent. */
interface Refusal {
  /** What the service ordered; null when it said nothing. */
  readonly retryAfterMs: number | null;
  readonly reason: string;
  readonly number: number;
  /** It is about us: an expired token, a firewall, a wrong address. */
  readonly refusesUs?: boolean;
}

export function newBlock(): Block {
  return { until: 0, since: 0, sentBefore: 0, refusals: 0, probing: false, reason: '' };
}

/** The service refused; `sent` requests have been sent so far. */
export function refuse(block: Block, refusal: Refusal, sent: number, now: number): void {
  // Twenty requests refused at once are one refusal: the delay grows once, and the longest order holds.
  if (block.refusals === 0 || refusal.number > block.sentBefore) block.refusals += 1;
  const first = refusal.refusesUs === true ? FIRST_REFUSED_MS : FIRST_DELAY_MS;
  const grown = growingDelay({ first, longest: LONGEST_DELAY_MS }, block.refusals);
  // An order of less than that is none: `Retry-After: 0` again and again would be a flood of requests.
  const ordered = refusal.retryAfterMs ?? 0;
  const delay = ordered < FIRST_DELAY_MS ? grown : ordered;
  block.until = Math.max(blockedUntil(block, now), now + delay);
  block.probing = true;
  const refusesUs = refusal.refusesUs === true;
  const repeats = refusesUs && block.refusesSince !== undefined;
  // Different requests word one refusal differently: the first words stay.
  if (!repeats || statusOf(refusal.reason) !== statusOf(block.reason))
    block.reason = refusal.reason;
  if (refusesUs) block.refusesSince ??= now;
  else forgetRefusal(block);
  block.since = now;
  block.sentBefore = sent;
}

/** The service answered properly the request of this number. Counted, not timed: a millisecond holds several. */
export function recover(block: Block, number: number): void {
  if (number <= block.sentBefore) return;
  forgetRefusal(block);
  Object.assign(block, newBlock());
}

/** When the block is over (ms). */
export function blockedUntil(block: Block, now: number): number {
  const setBackBy = block.since - now;
  if (setBackBy > 0) {
    // The clock was set back: the delay stays as long as it was, and not as long as the clock was wrong.
    block.since -= setBackBy;
    block.until -= setBackBy;
  }
  return block.until;
}

/** What status requests and downloads have met: a service that refuses them (its words), or that it is over (null). */
export function observe(block: Block, reason: string | null, sent: number, now: number): void {
  if (reason !== null) {
    refuse(block, { retryAfterMs: null, reason, number: sent + 1, refusesUs: true }, sent, now);
    block.observed = true;
    return;
  }
  if (block.observed !== true) return;
  // The next submission still asks first: what is refused may differ between the two.
  forgetRefusal(block);
  block.until = now;
}

function statusOf(reason: string): string | undefined {
  return /HTTP (\d{3})/.exec(reason)?.[1];
}

function forgetRefusal(block: Block): void {
  delete block.refusesSince;
  delete block.observed;
  delete block.told;
}
