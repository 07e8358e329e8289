/** The state of a budget: plain data, which continue-as-new carries. */
import type { AnsweredRequests } from './answered.ts';
import { newBlock, type Block } from './block.ts';
import type { Restored } from './events.ts';
import { newHolds, type Holds } from './holds.ts';
import { newQueue, type Queue } from './lanes.ts';
import type { JobReference, Waiting } from './request.ts';
import type { Uses } from './use.ts';
import { newWindow, type Limit, type Ticket, type Window } from './window.ts';

export const NO_LIMIT: Limit = { limit: null, windowMs: 0 };

export interface CredentialState {
  window: Window;
  block: Block;
  /** Its token was refused (401), and jobs are sent with the one that is configured now. */
  replaced?: true;
  /** Task queue of the workers that have the token; absent where every worker has it. */
  submitQueue?: string;
  /** Which campaigns its charges belong to; absent from older states. */
  uses?: Uses;
}

export interface Budget {
  address: Window;
  addressBlock: Block;
  credentials: Record<string, CredentialState>;
  queue: Queue;
  /** Submissions in progress, by `requestKey`. */
  outstanding: Record<string, Grant>;
  answered: AnsweredRequests;
  /** When those that no longer count were dropped (ms). */
  answeredSweptAt?: number;
  /** Absent from older states. */
  holds?: Holds;
  /** The budget knows of failures of submissions up to this number; absent from older states. */
  failuresKnownTo?: number;
  /** Absent where the number of unfinished jobs has no bound. */
  unfinished?: Unfinished;
  /** Most submissions in progress at a time: a service gets a burst, not a flood. */
  maxOutstanding: number;
  counts: { submissions: number; accepted: number; refused: number; rejected429: number };
  /** 429s that our own charges do not explain: someone else uses the credential. The last one, by credential. */
  strangers?: Record<string, { readonly at: number; readonly count: number }>;
  /** How many submissions were answered with a web page in the last refusal (doubt.ts). */
  pages?: number;
  /** Ids of the items whose requests were granted, by campaign, until the campaign is notified (allowance.ts). */
  taken?: Record<string, string[]>;
  /** The last recovery that was reported to this budget. */
  restored?: Pick<Restored, 'from' | 'at' | 'reason'>;
}

/** Jobs that were accepted and have not ended (unfinished.ts). */
interface Unfinished {
  /** Most of them at a time. */
  max: number;
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
  /** Counts all grants of the address, from 1: shows which of two requests was sent first. */
  readonly number: number;
  /** The first after the service was down: a harmless request is sent before the job. */
  readonly probe: boolean;
  /** The job is no longer wanted: if the service says "not now", it is not sent again. */
  readonly withdrawn: boolean;
  /** The token may have been replaced: another one of this service will do. */
  readonly mayReplace?: true;
  /** It was answered with a web page, and others were not: it is not sent again (doubt.ts). */
  readonly inDoubt?: true;
}

export const MAX_OUTSTANDING = 100;

export function newBudget(): Budget {
  return {
    address: newWindow(null, 0),
    addressBlock: newBlock(),
    credentials: {},
    queue: newQueue(),
    outstanding: {},
    answered: {},
    holds: newHolds(),
    maxOutstanding: MAX_OUTSTANDING,
    counts: { submissions: 0, accepted: 0, refused: 0, rejected429: 0 },
  };
}

export function credentialOf(state: Budget, name: string): CredentialState {
  return (state.credentials[name] ??= { window: newWindow(0, 0), block: newBlock() });
}

export function holdsOf(state: Budget): Holds {
  return (state.holds ??= newHolds());
}

/** What keeps requests from being sent, for the address and for each credential. */
export function blocksOf(state: Budget): Block[] {
  return [state.addressBlock, ...Object.values(state.credentials).map(({ block }) => block)];
}

/** Campaigns with a submission in progress for this credential. */
export function busyWith({ outstanding }: Budget, credential: string): ReadonlySet<string> {
  const own = Object.values(outstanding).filter((grant) => grant.request.credential === credential);
  return new Set(own.map(({ request }) => request.campaign));
}
