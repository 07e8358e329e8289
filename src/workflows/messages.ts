/**
 * Signals of the workflows, with their types. Signals and not updates, because the senders are workflows,
 * which can only signal, and none of them needs an immediate answer.
 */
import { defineSignal } from '@temporalio/workflow';
import type { Budget } from '../budget/budget.ts';
import type { BudgetConfiguration, Restored } from '../budget/state.ts';
import type { FormerBudget } from '../budget/status.ts';
import type { CampaignRun, Request, TakeBack } from '../budget/queue.ts';
import type {
  Attempt,
  CampaignSpec,
  CampaignProgress,
  FeedSpec,
  ItemEnd,
  ItemEntry,
  JobPolicy,
  ServiceReference,
  CampaignShare,
  ServiceName,
} from '../domain/campaign.ts';
import type { ToldEngine } from '../domain/engines.ts';
import type { PostTimes } from '../domain/outcomes.ts';
import type { BreakerCarried } from './breaker.ts';
import type { ClockReading } from './budget-clock.ts';

/* ---- budget: one entity workflow for each token of a service ---- */

export interface BudgetInput extends ServiceReference {
  /** What the run before it has left; null if there was none. Absent: it was not started by the program. */
  readonly former?: FormerBudget | null;
  /** Carried through continue-as-new. */
  readonly carried?: Budget;
  /** Carried as well. */
  readonly clock?: ClockReading;
  /** Its limits; a budget that never received them would grant nothing. */
  readonly configuration?: BudgetConfiguration;
}

export const configureSignal = defineSignal<[BudgetConfiguration]>('configure');
/** Campaigns request slots for many items at a time: a signal for each would cost as much as its submission. */
export const requestSignal = defineSignal<[readonly Request[]]>('request');
/**
 * From a campaign that is cancelled; the budget answers with `withdrawn` when none of its submissions is in progress.
 */
export const withdrawRunSignal = defineSignal<[CampaignRun]>('withdrawRun');
/** From a campaign with several lanes: it wants rows back that cannot be sent now; answered with `takenBack`. */
export const takeBackSignal = defineSignal<[TakeBack]>('takeBack');
export const pauseLineSignal = defineSignal<[{ campaign: string; paused: boolean }]>('pause');
/** From the watchdog that restarted the budget after its workflow was broken. */
export const restoreSignal = defineSignal<[Restored]>('restore');
/** From a worker whose status requests and downloads are refused, and when that is over (`reason` null). */
export const observeSignal = defineSignal<[{ reason: string | null }]>('observe');
/** Key of the budget's memo under which it writes its `BudgetSnapshot`. */
export const STATUS_MEMO = 'status';

/** Wakes a campaign or budget that waits for hours, so that the server can move it to another current version. */
export const nudgeSignal = defineSignal('nudge');

/* ---- item: one workflow for each row ---- */

export interface ItemInput extends Omit<ItemEntry, 'remoteId'>, CampaignShare {
  readonly campaign: string;
  readonly store: string;
  /** Id of the output tree. */
  readonly tree: string;
  readonly reference: ServiceReference;
  /** Task queue of activities that need the token; absent if every worker has it. */
  readonly fetchQueue?: string;
  readonly policy: JobPolicy;
  /** As in `ItemLaunch`. */
  readonly first?: true;
  /** As in `ItemLaunch`. */
  readonly givesBack?: true;
  readonly begin: JobBegin | EndBegin;
}

/** It has a job: of a submission that was answered, or that a look-up has found, or of another program. */
export interface JobBegin {
  readonly type: 'job';
  readonly how: 'accepted' | 'found' | 'adopted';
  readonly remoteId: string;
  /** Of the POST that made it, or that may have; empty where its worker died. */
  readonly posted: Partial<PostTimes>;
  /** The attempts before. */
  readonly attempts: readonly Attempt[];
}

/** It has none, and this is its end. */
export interface EndBegin {
  readonly type: 'end';
  readonly end: ItemEnd;
  readonly attempts: readonly Attempt[];
}

/* ---- campaign ---- */

export interface CampaignInput {
  readonly spec: CampaignSpec;
  /** Carried through continue-as-new. */
  readonly carried?: CampaignCarried;
}

/** How far the pages of one service were read. */
export interface UnreadCarried {
  readonly page: number;
  readonly offset: number;
  /** Absent where nothing was taken from the end (unread.ts). */
  readonly between?: {
    readonly through: number;
    readonly pages: number;
    readonly left: number | null;
  };
}

/** What is open in one lane. How far the pages were read is that of the first lane of the service. */
export interface FeedCarried extends UnreadCarried {
  readonly open: readonly ItemEntry[];
  /** Of these the ids that will request another job. */
  readonly again: readonly string[];
}

export interface CampaignCarried {
  readonly feeds: readonly FeedCarried[];
  readonly progress: CampaignProgress;
  readonly startedAt: number;
  /** When the open items are checked next (ms). */
  readonly checkAt: number;
  readonly breaker: BreakerCarried;
  /** Ends that were told before their rows were begun. */
  readonly early?: readonly ItemDone[];
}

/** A lane of a campaign: a service at one address. */
export type LaneName = Pick<ServiceReference, 'service' | 'address'>;

export interface TakenBack extends LaneName {
  /** Of the request (`TakeBack`). */
  readonly token: string;
  readonly ids: readonly string[];
}

/** The job of an item is of no use, and its row needs another one. */
export interface GivenUp {
  readonly id: string;
  /** Its machine has failed: another lane is to do it. */
  readonly back?: GivenBack;
}

export interface GivenBack extends Required<Pick<ItemEntry, 'generation' | 'givenBack'>> {
  /** How its job has ended in the last of these lanes; absent from a sender that has only found out. */
  readonly end?: ItemEnd;
}

export interface ItemDone extends ItemEnd {
  readonly id: string;
  /** Absent: it does not tell, or it has none. */
  readonly computed?: ToldEngine;
}

/** Rows that were added to the tree of a campaign while it runs. */
export interface Grown {
  /** Items of the whole campaign. */
  readonly items: number;
  /** Rows of it that were refused and left out. */
  readonly invalid: number;
  /** How many of the new ones have no job of their own. */
  readonly following: number;
  /** Of the whole campaign, with all its pages. */
  readonly feeds: readonly FeedSpec[];
}

/** From a budget: after a withdrawal, nothing of the campaign waits and no submission is in progress. */
export const withdrawnSignal = defineSignal<[LaneName]>('withdrawn');
/** From a budget: these rows waited there and were certainly not sent, and it has forgotten them. */
export const takenBackSignal = defineSignal<[TakenBack]>('takenBack');
/** From a submission: the job of this row is, or may be, at another lane of its campaign. */
export const belongsSignal = defineSignal<[{ id: string; address: string }]>('belongs');
/** From the watchdog: rows may be unknown to the budget. The campaign checks each open item. */
export const recheckSignal = defineSignal('recheck');
export const giveUpSignal = defineSignal<[GivenUp]>('giveUp');
/** From a worker: the service is configured with this token now, and no more with that of the campaign. */
export const tokenSignal = defineSignal<[ServiceReference]>('token');
export const growSignal = defineSignal<[Grown]>('grow');
/** From one of the first items of its kind: the service has accepted its job. */
export const acceptedSignal = defineSignal<[{ id: string }]>('accepted');
export const itemDoneSignal = defineSignal<[ItemDone]>('itemDone');
export const pauseSignal = defineSignal('pause');
/** One service that the campaign has paused because its items failed; without it: all that is paused. */
export const resumeSignal = defineSignal<[service?: ServiceName]>('resume');
/** Key of the campaign's memo under which it writes its `CampaignProgress`. */
export const PROGRESS_MEMO = 'progress';
