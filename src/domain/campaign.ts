/**
 * The words of the domain. A campaign is one run of one or several manifests into one output tree; an item is one row of
 * them, with one input, one job at a service and one folder in the tree. What travels through Temporal has references,
 * never payloads and never a secret.
 */

/** The name of a kind (src/kinds): what an input is. It determines the service, the checks and the folder. */
export type Kind = string;

/** The name of a service (src/services). */
export type ServiceName = string;

export type OptionValue = string | number | boolean | null | readonly string[];

/** The option columns of a row, by the keys of its kind's columns. */
export interface Options {
  readonly kind: Kind;
  readonly [key: string]: OptionValue;
}

/** The text that is sent to the service, with its file name in the output tree. */
export interface InputText {
  /** `input.smi`, `input.pdb`, `input.mol2`, `input.sdf`, `input.mdl`, `input.fasta`, `input.nef`, `input.str` */
  readonly name: string;
  readonly text: string;
  /** The user's input, if a different text is sent instead; stored beside it: `original.sto`, `original.fasta`. */
  readonly original?: { readonly name: string; readonly text: string };
  /** Id of a record in the results → the header that the user wrote, if the two differ. */
  readonly names?: Readonly<Record<string, string>>;
}

/** A job submitted by another program or in a browser that a row adopts. */
interface Adopted {
  readonly remoteId: string;
  /** False if the row gives no input: `input` is then a note that names the job, and is not sent or compared. */
  readonly inputKnown: boolean;
}

/** A checked manifest row, ready to be submitted. */
export interface Item {
  readonly id: string;
  readonly kind: Kind;
  readonly options: Options;
  readonly input: InputText;
  /**
   * The engine's input in one spelling: inputs of one kind with equal canonical texts and the same options have the
   * same result, regardless of their original spelling.
   */
  readonly canonical: string;
  /** The existing job of the service: polled, never submitted. */
  readonly adopts?: Adopted;
  readonly email: string | null;
  readonly title: string | null;
  /** First line of the row: manifest file as named by the user, line counted from 1. */
  readonly source: { readonly file: string; readonly line: number };
  /** The whole row as the user wrote it, by column: repeated in `failed.csv`. */
  readonly row: Readonly<Record<string, string>>;
  /** The user's own columns: joined into the result tables. */
  readonly user: Readonly<Record<string, string>>;
}

/** One row of a manifest after the checks: an item unless it has a problem of severity `error`. */
export interface CheckedRow {
  /** Its place; `line` is null when it concerns the whole file and is not a row. */
  readonly source: { readonly file: string; readonly line: number | null };
  /** Unique among all rows, including refused ones; null only if it is not a row. */
  readonly id: string | null;
  /** As the user wrote it; null when it was unreadable. */
  readonly row: Readonly<Record<string, string>> | null;
  /** Null while the type of the input is unknown. */
  readonly kind: Kind | null;
  readonly item: Item | null;
  readonly problems: readonly Problem[];
}

/**
 * The states of an item. It ends in exactly one of the final ones (promise 3 of docs/promises.md).
 *
 *   waiting ─▶ running ─▶ succeeded
 *      └──────────┴─────▶ failed | held | cancelled
 */
export const OPEN_STATES = ['waiting', 'running'] as const;
export const FINAL_STATES = ['succeeded', 'failed', 'held', 'cancelled', 'invalid'] as const;

/** A state of an item that has not ended. */
export type OpenState = (typeof OPEN_STATES)[number];
/** How an item ended. */
export type FinalState = (typeof FINAL_STATES)[number];
/** Any state of an item. */
export type ItemState = OpenState | FinalState;

/** Items that have ended, in whichever state. */
export function countEnded(ended: Readonly<Record<FinalState, number>>): number {
  return Object.values(ended).reduce((sum, n) => sum + n, 0);
}

export function isFinal(state: ItemState): state is FinalState {
  return (FINAL_STATES as readonly string[]).includes(state);
}

/** It has succeeded, or still may: others can rely on its result. */
export function canSucceed(state: ItemState): boolean {
  return !isFinal(state) || state === 'succeeded';
}

/* Problems of the user's input */

/** One error refuses the manifest; a warning does not. */
export type Severity = 'error' | 'warning';

/** A fault in a manifest: where, what, what to do. Never thrown; all are collected. */
export interface Problem {
  /** How serious it is. */
  readonly severity: Severity;
  /** A code of the tables of the manifest and of the kinds. */
  readonly code: string;
  /** The manifest, as named by the user. */
  readonly file: string;
  /** First line of the row in its file, from 1 including the header; null for the whole file. */
  readonly line: number | null;
  /** The item's id, when it has one. */
  readonly id: string | null;
  /** The manifest column, if one is concerned. */
  readonly column: string | null;
  /** The offending value, shortened. */
  readonly value: string | null;
  /** What is wrong, in a sentence, in the user's terms. */
  readonly message: string;
  /** What to do about it, in a sentence. */
  readonly remedy: string;
}

/* Campaigns */

/** The states of a campaign. */
export type CampaignState = 'running' | 'paused' | 'publishing' | 'completed' | 'cancelled';

/** Where jobs go, and under which budget: names that a worker maps to its own URL and token. */
export interface ServiceReference {
  readonly service: ServiceName;
  /** The service's address as a short name: its host and path, or `local`. */
  readonly address: string;
  /** Fingerprint of the token: identifies a credential without revealing it. Each has a budget workflow. */
  readonly credential: string;
}

export function isSameReference(one: ServiceReference, other: ServiceReference): boolean {
  return (
    one.service === other.service &&
    one.address === other.address &&
    one.credential === other.credential
  );
}

/** What to do if it remains unknown whether a submission was accepted. */
type WhenUnsure = 'hold' | 'resubmit';

/** Time limits for one job. */
export interface JobPolicy {
  /** A job that is not finished this long after its acceptance is abandoned, in ms. */
  readonly deadlineMs: number;
  readonly whenUnsure: WhenUnsure;
  /** How long a repeated error of the service is retried, in ms; default: `RETRY_TIMEOUT_MS`. */
  readonly retryMs?: number;
  /** A 404 for an accepted job, or for its result, is final after this long (ms); default: `LOST_AFTER_MS`. */
  readonly lostAfterMs?: number;
  /**
   * Of each kind N rows are sent first, until one has succeeded. A service is paused for the campaign when N items fail
   * with the same code and message before one has succeeded, or all but one of its last 2 N do. Absent: all are sent, and
   * it is not paused.
   */
  readonly sameFailures?: number;
  /** All rows of a kind are sent when nothing has failed for this long (ms); default: `QUIET_MS`. */
  readonly quietMs?: number;
}

/**
 * For a download that is never complete, or a submission whose outcome stays unknown: longer than an outage with these
 * symptoms, short enough to end before the morning. For an unreachable service we wait far longer.
 */
export const RETRY_TIMEOUT_MS = 30 * 60_000;

/** Longer than the caches and restarts of a service, and short compared with the cost of a second job. */
export const LOST_AFTER_MS = 15 * 60_000;

/** Wrong settings fail sooner. */
export const QUIET_MS = 5 * 60_000;

/** The place of a campaign among others that use the same credential. */
export interface CampaignShare {
  /** From 1, which is served before all others, to 5. */
  readonly priority: number;
  /** Who started it, if several people share a Temporal: only for display. */
  readonly user: string | null;
}

export const USUAL_PRIORITY = 3;

/** The input of the campaign workflow. */
export interface CampaignSpec extends CampaignShare {
  readonly name: string;
  /** The campaign's output tree: the address of its store. */
  readonly store: string;
  /** Id of that tree. */
  readonly tree: string;
  readonly items: number;
  /** How many of them `retry` has reopened for this run. */
  readonly retried: number;
  /** How many of them have no job of their own: they get the result of another row when the campaign ends. */
  readonly following: number;
  /** Rows that were refused and skipped; they are counted among `items`. */
  readonly invalid: number;
  /** Results are kept for later campaigns. */
  readonly cache: boolean;
  /** Task queue of the publication; absent: that of the campaign. */
  readonly publishQueue?: string;
  /** Whether a webhook is notified of the end, which the workers know. */
  readonly notify: boolean;
  /** For each service in use: where its jobs go, and how many pages of items are in the store. */
  readonly feeds: readonly FeedSpec[];
  readonly policy: JobPolicy;
  /** Nothing is submitted before this time (ms since the epoch), unless it is resumed; absent: it begins at once. */
  readonly startsAt?: number;
}

export interface FeedSpec {
  readonly reference: ServiceReference;
  readonly pages: number;
  /** Task queue of the requests that need the token; absent if every worker of the campaign's own queue has it. */
  readonly fetchQueue?: string;
  /** Maximum number of open items: at least twice the limit plus the jobs running, or slots would be idle. */
  readonly open: number;
  /**
   * Items that are started together and then request slots. As many as the window accepts at the same time, so that
   * none of them waits for the start of others.
   */
  readonly batch: number;
  /**
   * Of a lane whose engine has to be that of the service: its name, and what the last result of the service told before the
   * campaign, if it did. Absent: it is the service, or the user says that the engine is the same.
   */
  readonly checked?: { readonly name: string; readonly engine?: string };
}

/** A line of a page: enough to start an item workflow. */
export interface ItemEntry {
  readonly id: string;
  readonly kind: Kind;
  /** How often the item was restarted, by `retry` or with another input: earlier requests are obsolete. */
  readonly generation: number;
  /** The job that the service has already accepted, if an earlier run recorded one. */
  readonly remoteId?: string;
  /**
   * The code with which this job had ended before `retry` reopened the item: the job is polled first, and another one
   * is submitted only if it is unusable.
   */
  readonly formerEnd?: string;
  /** That job was submitted elsewhere: it takes no slot, and is never submitted by us. */
  readonly adopted?: true;
  /** Addresses of the lanes that have given it back (docs/architecture.md, "Two lanes"): none gets it again. */
  readonly givenBack?: readonly string[];
}

/** The input of an item workflow besides its request for a slot. */
export interface ItemLaunch {
  readonly policy: JobPolicy;
  /** As in `FeedSpec`. */
  readonly fetchQueue?: string;
  /** One of the first of its kind: it reports that it was accepted (workflows/breaker.ts). */
  readonly first?: true;
  /** It is sent in a lane beside the service, which does the row if the machine of the lane fails. */
  readonly givesBack?: true;
}

/**
 * How an attempt to submit ended. `unsure`: the job may or may not exist; `found` and `absent`: the result of a later
 * look-up by its name; `unable`: nothing was sent, for a local reason; `adopted`: nothing was sent, because the row
 * names an existing job of the service; `given-up`: the job from before `retry` is unusable, and another one is sent.
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
type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** One attempt to submit an item. */
export interface Attempt {
  /** ISO 8601, UTC: for `accepted`, when the answer was complete; otherwise when the item received the outcome. */
  readonly at: string;
  readonly outcome: AttemptOutcome;
  /** The message of the service, or the error. */
  readonly message?: string;
  readonly remoteId?: string;
  /** Just before the first byte of the POST; for `found`, of the first POST that may have made the job. */
  readonly sentAt?: string;
  /** When the answer to the POST was complete. */
  readonly answeredAt?: string;
}

/** How an item ended. */
export interface ItemEnd {
  readonly state: FinalState;
  /** A searchable code; null when it succeeded. */
  readonly code: string | null;
  /** In a sentence; the service's own message if there is one. */
  readonly message: string | null;
  /** The worker died or stopped while it sent the job, or the end is an old one: this says nothing about the service. */
  readonly byUs?: true;
}

export const SUCCEEDED: ItemEnd = { state: 'succeeded', code: null, message: null };

/** An item that has ended while the campaign ran, for display. */
export interface RecentEnd extends ItemEnd {
  readonly id: string;
  readonly kind: Kind;
  /** ms since the epoch. */
  readonly at: number;
}

/** A kind of which a campaign sends a few rows first, until one has succeeded. */
export interface FirstRows {
  readonly kind: Kind;
  readonly rows: number;
}

/** `sending 5 of kind sequence first, until one succeeds` */
export function describeFirst({ kind, rows }: FirstRows): string {
  return `sending ${rows} of kind ${kind} first, until one succeeds`;
}

/** A service, or a lane of it, that a campaign has paused: its items fail for the same reason, or its engine differs. */
export interface PausedService {
  readonly service: ServiceName;
  readonly code: string;
  readonly message: string;
  /** How many of the last items failed for this reason; absent: the engine of the lane is not that of the service. */
  readonly times?: number;
}

/** The service that a user can name, of `predictions (host:8080)`. */
export function findServiceOfLane(lane: string): ServiceName {
  return lane.replace(/ \(.*$/, '');
}

/** The items of one kind that have their own job and were started. */
export interface KindProgress {
  readonly open: number;
  readonly ended: Readonly<Record<FinalState, number>>;
}

/** Items by state, and the progress of the campaign: shown by the live view and `status`. */
export interface CampaignProgress {
  readonly campaign: string;
  readonly state: CampaignState;
  readonly total: number;
  /** Started and not ended. */
  readonly open: number;
  /** Those without their own job, which end with the campaign. */
  readonly following: number;
  readonly ended: Readonly<Record<FinalState, number>>;
  readonly failuresByCode: Readonly<Record<string, number>>;
  /** Services that wait for `hundredfold resume`; absent if there are none. */
  readonly pausedServices?: readonly PausedService[];
  /** Kinds whose other rows wait until one has succeeded; absent if there are none. */
  readonly first?: readonly FirstRows[];
  /** It has not begun, and begins then (ms since the epoch). */
  readonly startsAt?: number;
  /** Why notifications of the end failed, one sentence each. */
  readonly unnotified?: readonly string[];
  /** Left out, like the next two, where only the sums are needed. */
  readonly kinds?: Readonly<Partial<Record<Kind, KindProgress>>>;
  /** The last ends, oldest first; a handful, however large the campaign. */
  readonly recent?: readonly RecentEnd[];
  /** The same for failed and held items only, which the others would soon displace. */
  readonly failures?: readonly RecentEnd[];
}

/** Numbers of items; the states and `open` add up to `total`. */
export type Counts = Readonly<Record<'total' | 'open' | FinalState, number>>;

/** The state or the end of a campaign in numbers, for `campaign.json` and the report's page. */
export interface CampaignFacts {
  readonly name: string;
  readonly state: CampaignState;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** ISO 8601, UTC; null while the campaign is open. */
  readonly endedAt: string | null;
  /** Published before the end: how many of the items have ended; null once it has ended. */
  readonly soFar: { readonly ended: number; readonly items: number } | null;
  /** Versions of the programs that ran, by name: `hundredfold`, `node`, … */
  readonly versions: Readonly<Record<string, string>>;
  readonly items: Counts;
  /** Only the kinds that the campaign has. */
  readonly kinds: Readonly<Partial<Record<Kind, Counts>>>;
  /** Items that got the result of another row's job. */
  readonly duplicates: number;
  /** Items that got the result of an earlier campaign. */
  readonly cached: number;
  /** Jobs that the services accepted, as far as known: charges of the budget. */
  readonly submissions: number;
  /** Submissions answered with 429. */
  readonly rejected429: number;
  /** Files that differ from what was received, one sentence each. */
  readonly damaged: readonly string[];
}
