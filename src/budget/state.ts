/** The state of the budget of one token: plain data, which continue-as-new carries. */
import type { AnsweredRequests } from './answered.ts';
import { newBlock, refuse, type Block } from './block.ts';
import type { BudgetEvent, Closing, Restored, UnsettledResult } from './events.ts';
import type { Holds } from './holds.ts';
import { newQueue, type Queue } from './lanes.ts';
import type { JobReference, Waiting } from './request.ts';
import type { Users } from './use.ts';
import { newCharges, type Charges, type Ticket } from './charges.ts';
import { longestMs, type Policy } from './policy.ts';

export interface Budget {
  policy: Policy;
  charges: Charges;
  block: Block;
  /** Task queue of the workers that have the token; absent where every worker has it. */
  submitQueue?: string;
  /** The campaigns that its charges belong to. */
  users: Users;
  /** Grants ever made. */
  granted: number;
  queue: Queue;
  /** Submissions in progress, and ended ones that wait for a reading (`untimed`), by `requestKey`. */
  outstanding: Record<string, Grant>;
  /** What has happened since the clock was read, and counts from a reading that is later (budget.ts). */
  untimed: BudgetEvent[];
  /** Submissions of unknown fate that keep their slots, by `slotOf` (closing.ts). */
  unsure: Record<string, Unsure>;
  /** Submissions whose fate is looked up, by `requestKey`: their items have not begun. */
  unsettled: Record<string, Unsettled>;
  answered: AnsweredRequests;
  /** When those that no longer count were dropped (ms). */
  answeredSweptAt: number;
  holds: Holds;
  /** Absent where the number of open jobs has no bound. */
  open?: OpenJobs;
  /** Most submissions in progress at a time. */
  maxOutstanding: number;
  counts: { submissions: number; accepted: number; refused: number; rejected429: number };
  /** 429s that our own charges do not explain, and the last of them (ms): someone else uses the token. */
  strangers?: { readonly at: number; readonly count: number };
  /** How many submissions were answered with a web page in the last refusal (turned-away.ts). */
  pages: number;
  /** The last recovery that was reported to this budget. */
  restored?: Pick<Restored, 'from' | 'reason'> & { readonly at: number };
}

interface Unsettled {
  readonly request: Waiting;
  readonly result: UnsettledResult;
}

/** Jobs that were accepted and have not ended (open-jobs.ts). */
interface OpenJobs {
  /** As counted last, and when (ms; 0: never). */
  count: number;
  countedAt: number;
  /** When jobs were accepted that the last count may not have seen (ms). */
  accepted: number[];
}

/** Permission to submit one item. */
export interface Grant<Job extends JobReference = JobReference> {
  readonly request: Waiting<Job>;
  /** From when on it holds (ms). */
  readonly notBefore: number;
  readonly ticket: Ticket;
  /** `Budget.granted`, from 1: shows which of two requests was sent first. */
  readonly number: number;
  /** The first after the service was down: a harmless request is sent before the job. */
  readonly probe: boolean;
  /** The job is no longer wanted: if the service says "not now", it is not sent again. */
  readonly withdrawn: boolean;
  /** It uses the slot of this submission, whose fate is unknown (`Request.replaces`). */
  readonly replaced?: Unsure;
  /** It was answered with a web page, and others were not: it is not sent again (turned-away.ts). */
  readonly inDoubt?: true;
  /** How it has ended: it stays in flight until the clock was read after that. */
  readonly ended?: Closing['type'];
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

export function newBudget(): Budget {
  return {
    policy: NOT_CONFIGURED,
    charges: newCharges(),
    block: newBlock(),
    users: {},
    granted: 0,
    queue: newQueue(),
    outstanding: {},
    untimed: [],
    unsure: {},
    unsettled: {},
    answered: {},
    answeredSweptAt: 0,
    holds: { all: null, campaigns: {} },
    maxOutstanding: MAX_OUTSTANDING,
    counts: { submissions: 0, accepted: 0, refused: 0, rejected429: 0 },
    pages: 0,
  };
}

/** Campaigns with a submission in progress, or of unknown fate. */
export function busyCampaigns({ outstanding, unsure }: Budget): ReadonlySet<string> {
  const all = [...Object.values(outstanding), ...Object.values(unsure)];
  return new Set(all.map(({ request }) => request.campaign));
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
  refuse(block, refusal, { sent: granted, longestMs: longestMs(policy.windows) }, now);
}
