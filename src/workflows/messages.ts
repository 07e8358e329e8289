/**
 * What workflows are told and asked: signals and queries, with their types. Signals and not updates, because
 * the senders are workflows, which can only signal, and none of them needs an answer at once.
 */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { BudgetState, Limit } from '../budget/budget.ts';
import type { Request, TurnedAway } from '../budget/lanes.ts';
import type { BudgetStatus } from '../budget/status.ts';
import type {
  CampaignPlan,
  CampaignProgress,
  FeedPlan,
  ItemEnd,
  ItemEntry,
  JobPolicy,
  ServiceReference,
} from '../domain/campaign.ts';
import type { ServiceName } from '../domain/item.ts';
import type { SubmitResult } from './verbs.ts';

/* ---- budget: one entity workflow for each service address ---- */

export interface BudgetInput {
  readonly service: ServiceName;
  readonly address: string;
  /** Carried through continue-as-new. */
  readonly carried?: BudgetState;
}

export interface BudgetConfiguration {
  readonly credential: string;
  readonly credentialLimit: Limit;
  readonly addressLimit: Limit;
}

export const configureSignal = defineSignal<[BudgetConfiguration]>('configure');
/** Campaigns ask for their items many at a time: a signal each would cost as much as the submission. */
export const requestSignal = defineSignal<[readonly Request[]]>('request');
export const withdrawSignal = defineSignal<[{ item: string }]>('withdraw');
export const pauseLaneSignal = defineSignal<[{ campaign: string; paused: boolean }]>('pause');
export const budgetQuery = defineQuery<BudgetStatus>('status');

/* ---- item: one workflow for each row ---- */

export interface ItemInput extends ItemEntry {
  readonly campaign: string;
  readonly store: string;
  /** Id of the output tree; absent from campaigns of before trees had ids. */
  readonly tree?: string;
  readonly reference: ServiceReference;
  readonly weight: number;
  readonly policy: JobPolicy;
}

/** How a submission ended, and how often the service had turned it away before. */
export interface Submitted {
  readonly result: SubmitResult;
  readonly turnedAway: readonly TurnedAway[];
}

export const submittedSignal = defineSignal<[Submitted]>('submitted');
/** Sent to an item that a campaign finds running: should it still wait for its first slot, it asks for one itself. */
export const askSignal = defineSignal('ask');

/* ---- campaign ---- */

export interface CampaignInput {
  readonly plan: CampaignPlan;
  /** Carried through continue-as-new. */
  readonly carried?: CampaignCarried;
}

/** How far the pages of one service are read, and what is open. */
export interface FeedCarried {
  readonly page: number;
  readonly offset: number;
  readonly open: readonly ItemEntry[];
}

export interface CampaignCarried {
  readonly feeds: readonly FeedCarried[];
  readonly progress: CampaignProgress;
  readonly startedAt: number;
}

export interface ItemDone extends ItemEnd {
  readonly id: string;
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
  readonly feeds: readonly FeedPlan[];
}

export const growSignal = defineSignal<[Grown]>('grow');
export const itemDoneSignal = defineSignal<[ItemDone]>('itemDone');
export const pauseSignal = defineSignal('pause');
export const resumeSignal = defineSignal('resume');
export const progressQuery = defineQuery<CampaignProgress>('progress');
