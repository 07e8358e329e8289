/** The delay between attempts of something that fails: it doubles, up to a bound. */
export interface Growth {
  /** Before the second attempt (ms). */
  readonly first: number;
  /** At most (ms). */
  readonly longest: number;
}

/** In ms, after so many failures in a row (from 1). */
export function growingDelay({ first, longest }: Growth, failures: number): number {
  return Math.min(longest, first * 2 ** Math.min(failures - 1, 30));
}
