/** Limits that several parts must agree on: how long a POST may take, what a service keeps, how delays grow. */

/**
 * The longest time between the start of a submission and its outcome (ms): the time-out of the submit activity. A
 * process that died in between may have sent the job at any moment of it.
 */
export const MAX_POST_MS = 45_000;

/**
 * From the fence of a submission to its first byte, in ms (activities/gates.ts): a connection through a proxy may take
 * this long.
 */
export const FIRST_BYTE_MS = 10_000;

/**
 * A service accepts a job at most this long (ms) after its slot was reserved, as far as the limits allow for it: its
 * first byte is sent within `FIRST_BYTE_MS`, the client gives up within 30 s of that, and the rest is for a service, or a
 * proxy in front of it, that continues when its client has left. No contract has a bound for that; after this time the slot of
 * a job of unknown outcome counts as if it had been accepted at the last moment. One constant for the budget and for the
 * ledger.
 */
export const LATEST_ACCEPTANCE_MS = 60_000;

/** The delay between attempts: it doubles after each failure, up to a limit. */
interface Growth {
  /** Before the second attempt (ms). */
  readonly first: number;
  /** Maximum (ms). */
  readonly longest: number;
}

/** In ms, after this many failures in a row (from 1). */
export function computeGrowingDelay({ first, longest }: Growth, failures: number): number {
  return Math.min(longest, first * 2 ** Math.min(failures - 1, 30));
}

/** Maximum bytes of one downloaded file: a hundred times the largest known file. */
export const MAX_DOWNLOAD = 64_000_000;

/**
 * Both services delete a job with its results this long (ms) after its submission. The contracts name no time; this is
 * what is known of them.
 */
export const RESULTS_KEPT_MS = 14 * 86_400_000;
