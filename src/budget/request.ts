/** A request of a campaign or an item for a slot. */
import type { Attempt, Standing } from '../domain/campaign.ts';
import type { NotNowReason } from '../domain/outcomes.ts';

/** One item that waits to be submitted. */
export interface Request<Job extends JobReference = JobReference> extends Standing {
  /** Workflow id of the item: where the answer goes. */
  readonly item: string;
  /**
   * Run id of the item's workflow, or of the first run of its campaign where the item has no workflow yet. Ids are used
   * again: by the next campaign of the same name, by `retry`, for a tree that was removed. An answer to an
   * earlier run does not count for this one.
   */
  readonly run: string;
  readonly campaign: string;
  /** Which submission of the item this is for, from 0: an unsure one may be followed by another. */
  readonly attempt: number;
  /**
   * A former submission of this item (`slotOf`): the service said that it has no job of this name, and accepts a name
   * only once. Both create at most one job, so that they share a slot (closing.ts).
   */
  readonly replaces?: string;
  /** Its submissions until now, and what look-ups said of them. */
  readonly attempts?: readonly Attempt[];
  /** About how many rows of the campaign have no request yet; absent if unknown. */
  readonly behind?: number;
  readonly job: Job;
}

/**
 * Distinguishes the requests of a campaign, for items without a workflow, from those of other campaigns with the same
 * name.
 */
export interface CampaignRun {
  readonly campaign: string;
  /** Of its first run. */
  readonly run: string;
}

/** What a request is for. The budget needs only these fields; the rest is for the code that executes it. */
export interface JobReference {
  readonly id: string;
  /** Generation of the item: `retry` begins a new one. */
  readonly generation: number;
}

/** A request in a lane; `order` is its place in the order of asking, kept when it is put back. */
export interface Waiting<Job extends JobReference = JobReference> extends Request<Job> {
  readonly order: number;
  /** When the service turned it away, the latest last; the longest outage fits in a few lines. */
  readonly turnedAway: readonly TurnedAway[];
}

export interface TurnedAway {
  /** ms */
  readonly at: number;
  readonly reason: NotNowReason;
  readonly message: string;
  /** Of `blocked`: how many jobs the service had accepted by then, of whatever row. */
  readonly accepted?: number;
  /** The service may have the job nevertheless. */
  readonly doubt?: true;
}

/**
 * Distinguishes the requests of two runs of one item. Rejected: a counter in the tree, which a new tree starts at 0
 * again.
 */
export function requestKey({ item, run }: Pick<Request, 'item' | 'run'>): string {
  return `${item} ${run}`;
}

/** Identifies one submission, here and in the ledger. */
export function slotOf({ attempt, job, ...of }: Pick<Request, 'item' | 'run' | 'attempt' | 'job'>) {
  return `${requestKey(of)} ${job.generation} ${attempt}`;
}
