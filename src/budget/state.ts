/** The state of a budget: plain data, which continue-as-new carries. */
import type { AnsweredRequests } from './answered.ts';
import { newBlock, type Block } from './block.ts';
import type { Restored } from './events.ts';
import { newHolds, type Holds } from './holds.ts';
import { newQueue, type Queue } from './lanes.ts';
import type { JobReference, Waiting } from './request.ts';
import type { Uses } from './use.ts';
import { GUARD_MS, newWindow, type Limit, type Ticket, type Window } from './window.ts';

export const NO_LIMIT: Limit = { limit: null, windowMs: 0 };

interface CredentialState {
  window: Window;
  block: Block;
  /** Its token was refused (401), and jobs are sent with the one that is configured now. */
  replaced?: true;
  /** Task queue of the workers that have the token; absent where every worker has it. */
  submitQueue?: string;
  /** Which campaigns its charges belong to. */
  uses: Uses;
}

export interface Budget {
  /** Grants ever made at this address. */
  granted: number;
  /** What concerns every credential: the service is down, or refuses this machine. */
  addressBlock: Block;
  credentials: Record<string, CredentialState>;
  queue: Queue;
  /** Submissions in progress, by `requestKey`. */
  outstanding: Record<string, Grant>;
  /** Submissions of unknown fate that keep their slots, by `slotOf` (closing.ts). */
  unsure: Record<string, Unsure>;
  answered: AnsweredRequests;
  /** When those that no longer count were dropped (ms). */
  answeredSweptAt: number;
  holds: Holds;
  /** The budget knows of failures of submissions up to this number. */
  failuresKnownTo: number;
  /** Absent where the number of unfinished jobs has no bound. */
  unfinished?: Unfinished;
  /** Most submissions in progress at a time: a service gets a burst, not a flood. */
  maxOutstanding: number;
  counts: { submissions: number; accepted: number; refused: number; rejected429: number };
  /** 429s that our own charges do not explain: someone else uses the credential. The last one, by credential. */
  strangers: Record<string, { readonly at: number; readonly count: number }>;
  /** How many submissions were answered with a web page in the last refusal (turned-away.ts). */
  pages: number;
  /** Ids of the items whose requests were granted, by campaign, until the campaign is notified (allowance.ts). */
  taken: Record<string, string[]>;
  /**
   * What was charged before this time is unknown (ms): until its length has passed since then, every window counts as
   * full. Absent if everything is known.
   */
  fullSince?: number;
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
  /** `Budget.granted`, from 1: shows which of two requests was sent first. */
  readonly number: number;
  /** The first after the service was down: a harmless request is sent before the job. */
  readonly probe: boolean;
  /** The job is no longer wanted: if the service says "not now", it is not sent again. */
  readonly withdrawn: boolean;
  /** The token may have been replaced: another one of this service will do. */
  readonly mayReplace?: true;
  /** A look-up has found its job before its end was known. */
  readonly found?: true;
  /** It uses the slot of this submission, whose fate is unknown (`Request.replaces`). */
  readonly replaced?: Unsure;
  /** It was answered with a web page, and others were not: it is not sent again (turned-away.ts). */
  readonly inDoubt?: true;
}

/** A submission that has ended, and whose job may be accepted, now or later. */
export interface Unsure extends Grant {
  /** When its slot is charged, if nothing was heard of the job before (ms). */
  readonly settlesBy: number;
}

export const MAX_OUTSTANDING = 100;

export function newBudget(): Budget {
  return {
    granted: 0,
    addressBlock: newBlock(),
    credentials: {},
    queue: newQueue(),
    outstanding: {},
    unsure: {},
    answered: {},
    answeredSweptAt: 0,
    holds: newHolds(),
    failuresKnownTo: 0,
    maxOutstanding: MAX_OUTSTANDING,
    counts: { submissions: 0, accepted: 0, refused: 0, rejected429: 0 },
    strangers: {},
    pages: 0,
    taken: {},
  };
}

export function credentialOf(state: Budget, name: string): CredentialState {
  return (state.credentials[name] ??= {
    window: newWindow(0, 0),
    block: newBlock(),
    uses: {},
  });
}

/** What keeps requests from being sent, for the address and for each credential. */
export function blocksOf(state: Budget): Block[] {
  return [state.addressBlock, ...Object.values(state.credentials).map(({ block }) => block)];
}

/** Campaigns with a submission in progress, or of unknown fate, for this credential. */
export function busyWith(state: Budget, credential: string): ReadonlySet<string> {
  const all = [...Object.values(state.outstanding), ...Object.values(state.unsure)];
  const own = all.filter((grant) => grant.request.credential === credential);
  return new Set(own.map(({ request }) => request.campaign));
}

/** Until when a window counts as full because what was charged before is unknown (ms). */
export function fullUntil(
  { fullSince }: { readonly fullSince?: number },
  { limit, windowMs }: Limit,
): number {
  return fullSince === undefined || limit === null ? 0 : fullSince + windowMs + GUARD_MS;
}
