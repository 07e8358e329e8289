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
