/**
 * A service said "not now", or could not be reached: nothing is sent until the block is over, and then one
 * request at a time until one of them is answered properly. A service that is down thus meets one request a
 * minute, and no item fails because of it.
 */
export interface Block {
  /** Nothing is sent before this time (ms). */
  until: number;
  /** When the last refusal came in: answers to requests that started before it say nothing new. */
  since: number;
  /** Refusals in a row: each doubles the delay where the service ordered none. */
  refusals: number;
  /** After a block, one request at a time until an answer shows that the service is well. */
  probing: boolean;
  /** Why, in the words of the last refusal. */
  reason: string;
}

export const FIRST_DELAY_MS = 1_000;
export const LONGEST_DELAY_MS = 60_000;

export function newBlock(): Block {
  return { until: 0, since: 0, refusals: 0, probing: false, reason: '' };
}

/** The service refused, at `now`, a request that started at `startedAt`; it may have said for how long. */
export function refuse(
  block: Block,
  retryAfterMs: number | null,
  reason: string,
  startedAt: number,
  now: number,
): void {
  // Twenty requests refused at once are one refusal: the delay grows once, and the longest order holds.
  const again = block.refusals === 0 || startedAt >= block.since;
  if (again) block.refusals += 1;
  const grown = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(block.refusals - 1, 16));
  block.probing = true;
  block.reason = reason;
  block.since = now;
  block.until = Math.max(block.until, now + (retryAfterMs ?? grown));
}

/** The service answered properly a request that started at `startedAt`. */
export function recover(block: Block, startedAt: number): void {
  if (startedAt < block.since) return;
  Object.assign(block, newBlock());
}
