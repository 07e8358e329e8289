/** The state of the budget of one token, which continue-as-new carries as plain data, and all that can happen to it. */
import type { Attempt, ItemEnd } from '../domain/campaign.ts';
import type { TimedOutcome } from '../domain/outcomes.ts';
import { createBlock, refuse, type Block, type Holds } from './block.ts';
import {
  computeLongestMs,
  createCharges,
  type Charges,
  type Policy,
  type Ticket,
} from './policy.ts';
import { createQueue, type Queue, type Waiting, type CampaignRun, type Request } from './queue.ts';

export interface Budget {
  policy: Policy;
  charges: Charges;
  block: Block;
  /** Task queue of the workers that have the token; absent where every worker has it. */
  submitQueue?: string;
  /** Grants ever made. */
  granted: number;
  queue: Queue;
  /** Submissions in progress, and ended ones that wait for a reading (`untimed`), by `requestKey`. */
  outstanding: Record<string, Grant>;
  /** What has happened since the clock was read, and counts from a reading that is later (budget.ts). */
  untimed: BudgetEvent[];
  /** Submissions of unknown outcome that keep their slots, by `buildSlotKey` (closing.ts). */
  unsure: Record<string, Unsure>;
  /** Submissions whose outcome is looked up, by `requestKey`: their items have not begun. */
  unsettled: Record<string, Unsettled>;
  holds: Holds;
  /** Absent where the number of open jobs has no bound. */
  open?: OpenJobs;
  /** Most submissions in progress at a time. */
  maxOutstanding: number;
  counts: { submissions: number; accepted: number; refused: number; rejected429: number };
  /** Ids of the jobs that were accepted last, the latest last (closing.ts). */
  jobs: string[];
  /** 429s that our own charges do not explain, and the last of them (ms): someone else uses the token. */
  strangers?: { readonly at: number; readonly count: number };
  /** How many submissions were answered with a web page in the last refusal (closing.ts). */
  pages: number;
  /** The last recovery that was reported to this budget. */
  restored?: Pick<Restored, 'from' | 'reason'> & { readonly at: number };
}

/** A submission whose outcome is looked up. */
export interface Unsettled {
  readonly request: Waiting;
  readonly result: UnsettledResult;
}

/** Jobs that were accepted and have not ended (closing.ts). */
interface OpenJobs {
  /** As counted last, and when (ms; null: never). */
  count: number;
  countedAt: number | null;
  /** When jobs were accepted that the last count may not have seen (ms). */
  accepted: number[];
}

/** Permission to submit one item. */
export interface Grant {
  readonly request: Waiting;
  /** From when on it holds (ms). */
  readonly notBefore: number;
  readonly ticket: Ticket;
  /** `Budget.granted`, from 1: shows which of two requests was sent first. */
  readonly number: number;
  /** The first after the service was down: a harmless request is sent before the job. */
  readonly probe: boolean;
  /** The job is no longer wanted: if the service says "not now", it is not sent again. */
  readonly withdrawn: boolean;
  /** It uses the slot of this submission, whose outcome is unknown (`Request.replaces`). */
  readonly replaced?: Unsure;
  /** It was answered with a web page, and others were not: it is not sent again (closing.ts). */
  readonly mayHaveJob?: true;
  /** How it has ended: it stays in flight until the clock was read after that. */
  readonly ended?: SubmitResult['type'];
}

/** A submission that has ended, and whose job may be accepted, now or later. */
export interface Unsure extends Grant {
  /** When its slot is charged, if nothing was heard of the job before (ms). */
  readonly settlesBy: number;
}

/**
 * One for each connection of a worker (src/services/http.ts): none waits there once it was claimed, and an outage meets
 * no more than these, because the first end that shows it stops all further grants.
 */
export const MAX_OUTSTANDING = 16;

/** While a service neither answers submissions nor look-ups, no more rows than these are risked. */
export const MAX_UNSETTLED = 32;

/** Nothing is sent before the policy is known. */
const NOT_CONFIGURED: Policy = {
  windows: [{ limit: 0, windowMs: 0 }],
  maxOpen: null,
  counts: 'accepted',
};

export function createBudget(): Budget {
  return {
    policy: NOT_CONFIGURED,
    charges: createCharges(),
    block: createBlock(),
    granted: 0,
    queue: createQueue(),
    outstanding: {},
    untimed: [],
    unsure: {},
    unsettled: {},
    holds: {},
    maxOutstanding: MAX_OUTSTANDING,
    counts: { submissions: 0, accepted: 0, refused: 0, rejected429: 0 },
    jobs: [],
    pages: 0,
  };
}

/** What is charged is unknown, at the latest before this time (ms). */
export function forgetBefore({ charges }: Budget, time: number): void {
  charges.unknownBefore = Math.max(time, charges.unknownBefore ?? time);
}

export function setPolicy(state: Budget, policy: Policy): void {
  if (JSON.stringify(policy) === JSON.stringify(state.policy)) return;
  state.policy = policy;
  state.charges.changed += 1;
}

/** The service refuses: for how long nothing is sent follows from the block. */
export function refuseAll(
  { block, granted, policy }: Budget,
  refusal: Parameters<typeof refuse>[1],
  now: number,
): void {
  refuse(block, refusal, { sent: granted, longestMs: computeLongestMs(policy.windows) }, now);
}

/** A submission's end. */
export type SubmitResult =
  | (Extract<TimedOutcome, { readonly type: 'accepted' }> & {
      /** By a look-up, after a submission of unknown outcome. */
      readonly found?: true;
      /** Nothing was sent: an earlier submission of the row has made this job. */
      readonly isRecalled?: true;
      /** The answer was complete so long before the end of the activity (ms), or longer. */
      readonly agoMs?: number;
    })
  | UnsettledResult
  /** Certainly no job; the item keeps its turn, and a block begins. */
  | Extract<TimedOutcome, { readonly type: 'notNow' }>
  /** Nothing was sent, because the input could not be read: final for the item. */
  | { readonly type: 'unable'; readonly code: string; readonly message: string }
  /** Nothing was sent, for a reason other than the service and the item: it waits this long, then it has its turn. */
  | {
      readonly type: 'deferred';
      /** What waits: everything, or the campaign. */
      readonly scope: 'all' | 'campaign';
      readonly delayMs: number;
      readonly message: string;
    }
  | OverResult
  /** Nothing was sent: the campaign that requested it has ended. */
  | { readonly type: 'unwanted'; readonly message: string };

/** Nothing more is sent: the item has this end. */
export interface OverResult {
  readonly type: 'over';
  readonly end: ItemEnd;
}

export interface BudgetConfiguration {
  readonly policy: Policy;
  /**
   * Task queue of the workers that have the token, opaque to the budget. Left out: the budget's own, all of whose workers
   * have it.
   */
  readonly submitQueue?: string;
}

/** A submission that was refused or whose outcome is unknown: the service may have the job, which is looked up. */
export type UnsettledResult =
  | Extract<TimedOutcome, { readonly type: 'refused' }>
  /**
   * `byService`: the service received the submission, and its answer was bad or missing. Absent if the attempt that sent
   * it reports nothing, and may still be sending.
   */
  | (Extract<TimedOutcome, { readonly type: 'unsure' }> & { readonly byService?: boolean });

/** What a look-up has shown: the job is found, or there is none, and its item has begun; or it is sent once more. */
export type Settlement =
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
      readonly result: SubmitResult;
    }
  | {
      readonly type: 'settled';
      readonly item: string;
      readonly run: string;
      readonly settlement: Settlement;
    }
  /** Status requests and downloads are refused, in these words; null: no longer. */
  | { readonly type: 'observe'; readonly reason: string | null }
  /** What another Temporal has sent counts here as well. */
  | { readonly type: 'restore'; readonly restored: Restored };

/** What was sent elsewhere with the token (runner/hold-tree.ts). */
export interface Restored {
  /** The last one counts once, however often it is reported. */
  readonly from: string;
  /** Why, for people. */
  readonly reason: string;
  /** How long ago each job counts from (ms); null: what was sent is unknown. */
  readonly ages: readonly number[] | null;
}
