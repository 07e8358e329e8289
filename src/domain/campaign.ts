/**
 * A campaign is one run of one or several manifests into one output tree. What stands here travels through
 * Temporal: references, never payloads and never a secret.
 */
import type { Kind, Options, ServiceName } from './item.ts';
import type { CampaignState, FinalState } from './states.ts';

/** Where jobs go, and under which budget: names that a worker resolves to a URL and a token of its own. */
export interface ServiceReference {
  readonly service: ServiceName;
  /** The service's address as a short name: its host and path, or `local`. One budget workflow serves it. */
  readonly address: string;
  /** Fingerprint of the token: tells credentials apart and cannot be turned back into one. */
  readonly credential: string;
}

/** What to do when it cannot be found out whether a submission was accepted. */
export type WhenUnsure = 'hold' | 'resubmit';

/** How patient we are with one job. */
export interface JobPolicy {
  /** A job that is not finished this long after its acceptance is given up, in ms. */
  readonly deadlineMs: number;
  readonly whenUnsure: WhenUnsure;
  /** How long what the service does wrong each time is tried again, in ms; `PATIENCE_MS` when it is left out. */
  readonly patienceMs?: number;
  /** A 404 for an accepted job, or for its result, is believed when it repeats for so long (ms); `LOST_AFTER_MS` by default. */
  readonly lostAfterMs?: number;
  /**
   * A service is paused for the campaign when the first so many of its items, or all but one of the last twice as many,
   * fail with the same code and message. Absent: it goes on.
   */
  readonly sameFailures?: number;
}

/**
 * A download that never comes whole, a submission whose fate is never known: longer than an outage that shows itself in
 * this way, short enough to end before the morning. A service that cannot be reached is waited for far longer.
 */
export const PATIENCE_MS = 30 * 60_000;

/** Longer than the caches and restarts of a service, and short against what a second job costs. */
export const LOST_AFTER_MS = 15 * 60_000;

export type NotifyWay = 'command' | 'webhook';

/** How a campaign stands among others that use the same credential. */
export interface Standing {
  /** Turns relative to those of the same priority; 1 is usual, 2 gets twice as many. */
  readonly weight: number;
  /** From 1, which goes before all others, to 5; `USUAL_PRIORITY` when it is left out. */
  readonly priority?: number;
  /** Slots of each window that it leaves to other campaigns. */
  readonly reserve?: number;
  /** Who started it, where several people share a Temporal: for their eyes only. */
  readonly user?: string;
}

export const USUAL_PRIORITY = 3;

/** All that the campaign workflow is given. */
export interface CampaignPlan extends Standing {
  readonly name: string;
  /** The campaign's output tree: the address of its store. */
  readonly store: string;
  /** Id of that tree; absent from campaigns of before trees had ids. */
  readonly tree?: string;
  readonly items: number;
  /** How many of them `retry` has opened again for this run. */
  readonly retried?: number;
  /** How many of them have no job of their own: they get the result of another row when the campaign ends. */
  readonly following?: number;
  /** Rows that were refused and left out; they are counted among `items`. */
  readonly invalid?: number;
  /** Results are kept for later campaigns, unless it is false. */
  readonly cache?: boolean;
  /** Task queue of the publication; absent: that of the campaign. */
  readonly publishQueue?: string;
  /** How somebody is to be told of the end; whom, a worker knows. */
  readonly notify?: readonly NotifyWay[];
  /** For each service in use: where its jobs go, and how many pages of items wait in the store. */
  readonly feeds: readonly FeedPlan[];
  readonly policy: JobPolicy;
}

export interface FeedPlan {
  readonly reference: ServiceReference;
  /** Fingerprints of further tokens of that service: a row goes to the one that has a slot first. */
  readonly others?: readonly string[];
  readonly pages: number;
  /** Task queue of what is asked with the token; absent where every worker of the campaign's own has it. */
  readonly fetchQueue?: string;
  /** Most items open at once: at least twice the limit plus the jobs running, or slots would lie idle. */
  readonly open: number;
  /**
   * Items that are started together, and then asked for. As many as the window takes at once: none of them then waits
   * for the start of others.
   */
  readonly batch: number;
}

/** A line of a page: enough to start an item workflow. */
export interface ItemEntry {
  readonly id: string;
  readonly kind: Kind;
  /** How often the item was begun again, by `retry` or with another input: what an earlier one asked for is over. */
  readonly generation: number;
  /** The job that the service has taken on already, where an earlier run has left word of one. */
  readonly remoteId?: string;
  /** Fingerprint of the token that it was submitted with, where the campaign has several. */
  readonly credential?: string;
  /**
   * The code that this job had brought before `retry` opened the item again: the job is asked for first, and another one
   * is submitted only when it is of no use.
   */
  readonly formerEnd?: string;
  /** That job was submitted by somebody else: it takes no slot, and is never submitted by us. */
  readonly adopted?: true;
  /** For whoever looks at it in the Temporal UI; absent from pages of before this was noted. */
  readonly sends?: Sent;
}

/** What the workflow of an item is given beyond its request for a slot. */
export interface ItemLaunch {
  readonly policy: JobPolicy;
  /** As in `FeedPlan`. */
  readonly fetchQueue?: string;
  readonly sends?: Sent;
}

/** What is sent to the service for an item, in short. */
export interface Sent {
  readonly input: {
    /** Of the file in the item's folder. */
    readonly name: string;
    readonly bytes: number;
    /** The first twelve hexadecimal digits of its SHA-256. */
    readonly digest: string;
  };
  readonly options: Options;
}

/**
 * How an attempt to submit ended. `unsure`: the job may or may not exist; `found` and `absent`: what a look-up by
 * its name then said; `unable`: nothing was sent, for a reason of ours; `adopted`: nothing was sent, because the row
 * names a job that the service has already; `given-up`: the job of before `retry` is of no use, and another one is sent.
 */
export const ATTEMPT_OUTCOMES = [
  'accepted',
  'found',
  'absent',
  'refused',
  'rate-limited',
  'unavailable',
  'unreachable',
  'blocked',
  'unsure',
  'unable',
  'adopted',
  'given-up',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** One attempt to submit an item. */
export interface Attempt {
  /** ISO 8601, UTC: of `accepted`, when the answer was complete; otherwise when the item heard of it. */
  readonly at: string;
  readonly outcome: AttemptOutcome;
  /** The service's words, or what went wrong on the way. */
  readonly message?: string;
  readonly remoteId?: string;
  /** Just before the first byte of the POST; of `found`, of the first POST that may have made the job. */
  readonly sentAt?: string;
  /** When the answer to the POST was complete. */
  readonly answeredAt?: string;
}

/** How an item ended. */
export interface ItemEnd {
  readonly state: FinalState;
  /** A code that can be searched for; null when it succeeded. */
  readonly code: string | null;
  /** In a sentence; the service's own words where it gave any. */
  readonly message: string | null;
}

/** An item that has ended while the campaign ran, for those who watch. */
export interface RecentEnd extends ItemEnd {
  readonly id: string;
  readonly kind: Kind;
  /** ms since the epoch. */
  readonly at: number;
}

/** A service that a campaign has paused, because its items fail for one and the same reason. */
export interface SameFailures {
  readonly service: ServiceName;
  readonly code: string;
  readonly message: string;
  /** How many of the last items failed so. */
  readonly times: number;
}

/** The items of one kind that have a job of their own, as far as they were started. */
export interface KindProgress {
  readonly open: number;
  readonly ended: Readonly<Record<FinalState, number>>;
}

/** Items by state, and what the campaign has come to: what the live view and `status` show. */
export interface CampaignProgress {
  readonly campaign: string;
  readonly state: CampaignState;
  readonly total: number;
  /** Started and not ended. */
  readonly open: number;
  /** Those without a job of their own, which end with the campaign; absent from workflows of before there were any. */
  readonly following?: number;
  readonly ended: Readonly<Record<FinalState, number>>;
  readonly failuresByCode: Readonly<Record<string, number>>;
  /** Services that wait for `hundredfold resume`; absent where there are none. */
  readonly brakes?: readonly SameFailures[];
  /** Why those who wanted to be told of the end were not, a sentence each. */
  readonly unnotified?: readonly string[];
  /** Absent, as are the next two, from workflows of before these were kept. */
  readonly kinds?: Readonly<Partial<Record<Kind, KindProgress>>>;
  /** The last ends, oldest first; a handful, however large the campaign. */
  readonly recent?: readonly RecentEnd[];
  /** The same of failed and held items only, which would soon be lost among the others. */
  readonly failures?: readonly RecentEnd[];
}
