/**
 * The interface of the activities, as workflows call them. They are implemented in `src/activities/`; only their types
 * are here, so that no client code gets into the workflow bundle.
 */
import type { Settlement, SubmitResult, UnsettledResult } from '../budget/state.ts';
import type { Policy } from '../budget/policy.ts';
import type { Waiting } from '../budget/queue.ts';
import type { BudgetSnapshot } from '../budget/status.ts';
import type {
  Attempt,
  CampaignProgress,
  ItemEnd,
  ItemEntry,
  JobPolicy,
  ServiceReference,
  Kind,
} from '../domain/campaign.ts';
import type { PostTimes, Timing } from '../domain/outcomes.ts';
import type { BudgetReading } from './budget-clock.ts';
import type { LaneName, TakenBack } from './messages.ts';

export interface CampaignTree {
  readonly campaign: string;
  readonly store: string;
  /** Id of the output tree. */
  readonly tree: string;
}

/** An item, for the activities. */
export interface ItemAddress extends CampaignTree {
  readonly id: string;
  readonly kind: Kind;
  readonly generation: number;
}

/** A file in the output tree, by its name in the item's folder. */
export interface KeptFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Places at which a secret was overwritten; absent when there are none. */
  readonly redacted?: number;
}

export interface FetchResult {
  readonly files: readonly KeptFile[];
  /** Why the result is not good, when it is not. */
  readonly problem: { readonly code: string; readonly message: string } | null;
  /** How long the job took, if this file says so. */
  readonly timing: Timing | null;
  /** What computed it, if this file says so. */
  readonly engine: string | null;
}

/** What is known of an accepted job, for the record of its item. */
export interface SubmittedJob extends Partial<PostTimes> {
  readonly attempts: readonly Attempt[];
  /**
   * ISO 8601, UTC: the answer to its POST; without one, when a look-up found the job. null for an adopted one, which was
   * submitted at a time that only its service knows.
   */
  readonly submittedAt: string | null;
}

export type JobFinish =
  /** What the service has of it is in the tree, and the end of the item is written and reported to the campaign. */
  | { readonly type: 'ended'; readonly end: ItemEnd }
  /** Another one is to follow it, which the campaign requests, in this lane or another. */
  | { readonly type: 'givenUp' };

export interface RemoteJob {
  readonly item: ItemAddress;
  readonly reference: ServiceReference;
  readonly remoteId: string;
  /** As in `ItemLaunch`. */
  readonly givesBack?: true;
}

/** What is recorded in item.json when the item has ended. */
export interface ItemConclusion extends SubmittedJob {
  readonly item: ItemAddress;
  readonly reference: ServiceReference;
  readonly end: ItemEnd;
  readonly remoteId: string | null;
  readonly files: readonly KeptFile[];
  readonly finishedAt: string;
  readonly timing: Timing | null;
  readonly engine: string | null;
}

/** A line of a page, with the item's end if it is on disk already. */
export interface ItemOfPage extends ItemEntry {
  readonly ended?: Pick<ItemEnd, 'state' | 'code'>;
  /** Its record was begun again since the page was written: it is left to the campaign that is prepared with it. */
  readonly isObsolete?: true;
  /** Within a day, a job with these options has succeeded at this service. */
  readonly proven?: true;
  /** Of the lane that has its job, if that is not the first. */
  readonly address?: string;
}

export interface PublishRequest {
  readonly store: string;
  /** Id of the output tree. */
  readonly tree: string;
  readonly campaign: string;
  readonly state: 'completed' | 'cancelled';
  readonly startedAt: string;
  /** Items that this run ran again. */
  readonly retried: number;
  /** Results are kept for later campaigns. */
  readonly cache: boolean;
}

export interface Published {
  readonly ended: CampaignProgress['ended'];
  /** Items of the tree that have no end yet. */
  readonly open: number;
}

/** A service that refuses us, or that a campaign has paused, for the recipients of notifications. */
export interface RefusalNotice {
  readonly service: string;
  readonly address: string;
  /** ISO 8601, UTC. */
  readonly since: string;
  /** The words of the service. */
  readonly message: string;
  /** The campaign that has paused the service; absent if the service refuses all campaigns. */
  readonly campaign?: string;
}

export interface Activities {
  /**
   * Sends one job, at most once, and begins its item if the answer settles its outcome. Called by the budget workflow alone.
   */
  submit(request: SubmitRequest, reference: ServiceReference): Promise<SubmitResult>;
  /** The server's clock, by the moment at which this was scheduled. Called by the budget workflow alone. */
  readClock(): Promise<BudgetReading>;
  /** Tells a campaign what it has asked for; nothing happens if that has ended. Called by the budget workflow alone. */
  reportToCampaign(campaign: string, answer: LaneName | TakenBack): Promise<void>;
  /** What this run of the budget has left, which was reset to the present one; null if that cannot be read. */
  readFormer(run: string): Promise<BudgetSnapshot | null>;
  /**
   * How many jobs were accepted with this token and have not ended, among the items of this task queue that began before
   * this time (ms); null: among all.
   */
  countOpenJobs(reference: ServiceReference, before: number | null): Promise<number>;
  /**
   * Looks a job up that was submitted, until the service answers, and begins its item if its outcome is known. Called by
   * the budget workflow alone.
   */
  settleSubmission(
    request: SubmitRequest,
    reference: ServiceReference,
    result: UnsettledResult,
  ): Promise<Settlement>;
  /**
   * Polls until the job has ended, downloads all its files (of one that failed, its log), and writes and reports the end of the item. "Not yet" is a
   * retry.
   *
   * `former`: how the job had ended before `retry`; null for another. It was paid for, so it is polled first; if it is of no use, another
   * one follows it (domain/item-ends.ts).
   */
  finishJob(
    job: RemoteJob,
    policy: JobPolicy,
    submitted: SubmittedJob,
    former: string | null,
  ): Promise<JobFinish>;
  /**
   * Writes the end of an item into the output tree, and returns it: a success becomes a failure if the files of the job
   * contradict each other.
   */
  conclude(conclusion: ItemConclusion): Promise<ItemEnd>;
  /** Reads one page of a campaign's items, always all of it and in the same order. `lanes`: their addresses. */
  loadPage(
    campaign: CampaignTree,
    reference: ServiceReference,
    page: number,
    lanes?: readonly string[],
  ): Promise<ItemOfPage[]>;
  /** Starts the budget workflow of a service if it does not run. */
  ensureBudget(reference: ServiceReference): Promise<void>;
  /**
   * Concludes those of these items whose workflow was terminated since the campaign began (`since`, ms), and returns the ids
   * of those for which none was started, or whose job was given up: they wait for a slot, or their request was lost.
   */
  checkItems(
    campaign: CampaignTree,
    reference: ServiceReference,
    items: readonly ItemEntry[],
    since: number,
  ): Promise<string[]>;
  /** Cancels the workflows of these items where they run, and returns the ids of the others. */
  cancelRunning(campaign: string, ids: readonly string[]): Promise<string[]>;
  /** Makes the tables, the summary and the checksums of a campaign. */
  publish(request: PublishRequest): Promise<Published>;
  /** Notifies of the end of the campaign in this output tree, as the worker's configuration says. */
  notify(store: string): Promise<void>;
  /** Notifies that a service refuses us. */
  notifyRefusal(refusal: RefusalNotice): Promise<void>;
}

export interface SubmitRequest extends Waiting {
  /** The slot is free from this time of the server on (ms). */
  readonly notBefore: number;
  /** The run of the budget whose clock was read for the grant: after a reset, nothing is sent in another one. */
  readonly readIn: string;
  /** The service was down: a harmless request is sent before the job. */
  readonly probe: boolean;
  /** The service may have the job, from a submission that was answered with a web page: it is not sent again. */
  readonly mayHaveJob?: true;
  /** As the budget knows it now. */
  readonly policy: Policy;
}

/** With these, an item begins. */
export type SettledResult = Extract<
  SubmitResult,
  { readonly type: 'accepted' | 'over' | 'unable' }
>;
