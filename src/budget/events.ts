/** All that can happen to a budget. */
import type { Attempt } from '../domain/campaign.ts';
import type { NotNowReason, RateLimitSeen, TimedOutcome } from '../domain/outcomes.ts';
import type { Policy } from './policy.ts';
import type { CampaignRun, Request } from './request.ts';

/** How a submission ended, seen from the budget. */
export type Closing =
  | {
      readonly type: 'accepted';
      readonly rateLimit: RateLimitSeen | null;
      /** The answer was complete so long before the end (ms), or longer. */
      readonly agoMs?: number;
    }
  /** Certainly no job, and final for the item. */
  | {
      readonly type: 'refused';
      /** For a reason of ours. */
      readonly unsent?: true;
    }
  /** Certainly no job; the item keeps its turn, and a block begins. */
  | {
      readonly type: 'notNow';
      readonly reason: NotNowReason;
      readonly retryAfterMs: number | null;
      readonly message: string;
      readonly doubt?: true;
    }
  /** Nothing was sent, for a reason other than the service: it waits this long, then it has its turn. */
  | {
      readonly type: 'deferred';
      /** What waits: everything, or the campaign. */
      readonly scope: 'all' | 'campaign';
      readonly delayMs: number;
      readonly message: string;
    }
  /** Nothing was sent, because the job is no longer wanted. */
  | { readonly type: 'unwanted' }
  /** Perhaps a job, now or later: its slot stays taken (closing.ts). */
  | {
      readonly type: 'unsure';
      /** Why a block begins; absent if the service did not fail. */
      readonly unwell?: string;
    };

export interface BudgetConfiguration {
  readonly policy: Policy;
  /**
   * Task queue of the workers that have the token, opaque to the budget. Left out: the budget's own, all of whose workers
   * have it.
   */
  readonly submitQueue?: string;
}

/** A submission that was refused or whose fate is unknown: the service may have the job, which is looked up. */
export type UnsettledResult =
  | Extract<TimedOutcome, { readonly type: 'refused' }>
  /**
   * `byService`: the service received the submission, and its answer was bad or missing. Absent if the attempt that sent
   * it reports nothing, and may still be sending.
   */
  | (Extract<TimedOutcome, { readonly type: 'unsure' }> & { readonly byService?: boolean });

/** What a look-up has shown: the job is found, or there is none, and its item has begun; or it is sent once more. */
export type SettledFate =
  | { readonly type: 'found' | 'ended' | 'unwanted' }
  | {
      readonly type: 'again';
      readonly attempts: readonly Attempt[];
      /** The service does not have the job, and accepts its name once: both share a slot (closing.ts). */
      readonly isAbsent: boolean;
    };

export type BudgetEvent =
  | ({ readonly type: 'configure' } & BudgetConfiguration)
  /** So many jobs of the service have not ended. */
  | { readonly type: 'counted'; readonly count: number }
  | { readonly type: 'request'; readonly request: Request }
  /** A campaign is cancelled: its requests that were not sent are dropped. */
  | ({ readonly type: 'withdrawRun' } & CampaignRun)
  | { readonly type: 'pause'; readonly campaign: string; readonly paused: boolean }
  | {
      readonly type: 'close';
      readonly item: string;
      readonly run: string;
      readonly closing: Closing;
      /** Its fate is not settled. */
      readonly unsettled?: UnsettledResult;
    }
  | {
      readonly type: 'settled';
      readonly item: string;
      readonly run: string;
      readonly fate: SettledFate;
    }
  /** Status requests and downloads are refused, in these words; null: no longer. */
  | { readonly type: 'observe'; readonly reason: string | null }
  /** What another Temporal has sent counts here as well. */
  | { readonly type: 'restore'; readonly restored: Restored };

/** What was sent elsewhere with the token (campaigns/take-over.ts). */
export interface Restored {
  /** The last one counts once, however often it is reported. */
  readonly from: string;
  /** Why, for people. */
  readonly reason: string;
  /** How long ago each job counts from (ms); null: what was sent is unknown. */
  readonly ages: readonly number[] | null;
  /** Nothing is unknown any more: the user says that this is all. */
  readonly isAll?: true;
}
