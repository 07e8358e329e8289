/** The figures of a run, from the service's journal and the results on disk. */
import type { Arrival } from '../command.ts';
import type { Usage } from '../usage.ts';

/** An item whose result is on disk. */
export interface Done {
  readonly id: string;
  /** ms since the epoch. */
  readonly at: number;
}

interface Counts {
  /** Answers of 429. */
  readonly refused: number;
  /**
   * Submissions of an item that has a job already, refused by its name (409): duplicates at a service that does not
   * require unique names.
   */
  readonly repeated: number;
  /** Accepted jobs beyond the first one of an item. */
  readonly duplicates: number;
  /** Items without a result. */
  readonly lost: number;
  /** From the first accepted job to the last result on disk, in s. */
  readonly makespan: number;
}

export interface Figures extends Counts {
  /** From the start of the command to its end, including the second start if there was one, in s. */
  readonly whole: number;
  readonly usage: Usage;
  /** From the second start to the next accepted job, in s. */
  readonly recovery?: number;
  /** What the user had to run before the same command could be restarted. */
  readonly unlocked?: boolean;
}

export function countRun(
  arrivals: readonly Arrival[],
  done: readonly Done[],
  items: number,
): Counts {
  const accepted = arrivals.filter((arrival) => arrival.accepted === 1);
  // A job without a name counts as a separate one: it hides no duplicate.
  const named = new Set(accepted.map(({ name }, n) => name ?? n));
  const first = Math.min(...accepted.map(({ at }) => at));
  const last = Math.max(...done.map(({ at }) => at));
  return {
    refused: arrivals.filter(({ status }) => status === 429).length,
    repeated: arrivals.filter(({ status }) => status === 409).length,
    duplicates: accepted.length - Math.min(named.size, items),
    lost: items - new Set(done.map(({ id }) => id)).size,
    makespan: (last - first) / 1_000,
  };
}

/** Seconds from `at` to the next accepted job. */
export function nextAccepted(arrivals: readonly Arrival[], at: number): number {
  const later = arrivals.filter((arrival) => arrival.accepted === 1 && arrival.at > at);
  return (Math.min(...later.map((arrival) => arrival.at)) - at) / 1_000;
}
