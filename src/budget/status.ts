/**
 * The status of a budget for display: what is charged, what is free, when the next slots become free, who waits.
 *
 * The budget's workflow writes a snapshot, and readers compute the status at that moment from it. So no one has to
 * query the workflow: a query makes another worker replay it, and that has broken budgets (docs/decisions.md).
 *
 * The next run takes over what the snapshot has. It is written in the workflow task that grants, so what is closed and
 * what is outstanding there are at least what may count (docs/promises.md).
 */
import { type ServiceReference, type CampaignShare, USUAL_PRIORITY } from '../domain/campaign.ts';
import { LATEST_ACCEPTANCE_MS } from '../domain/limits.ts';
import { createBlock, EVERYTHING, type Block, type Hold } from './block.ts';
import { openJobs } from './closing.ts';
import {
  countCharged,
  listCounting,
  estimateLastSubmission,
  computeLongestSpan,
  createLongestWindow,
  listReleases,
  findRoom,
  findRoomInWindow,
  computeSpan,
  type Charges,
  type Close,
  type Policy,
  type Usage,
  type Window,
} from './policy.ts';
import { pauseCampaign, pickShare } from './queue.ts';
import { forgetBefore, setPolicy, type Budget, type Grant } from './state.ts';

/** A window at one moment. */
export interface WindowStatus extends Window {
  /** Slots in use. */
  readonly charged: number;
  readonly free: number;
  /** When the next slot can be taken; null when only an answer that is still due can free one. */
  readonly nextFreeAt: number | null;
  /** When the charged slots become free, ascending. */
  readonly releases: readonly number[];
}

export interface Refusing {
  /** ms */
  readonly since: number;
  readonly reason: string;
}

/** A budget at one moment. */
export interface BudgetStatus extends ServiceReference, AccountStatus {
  readonly now: number;
  /** Which campaigns use it or wait for it, those with most slots first. */
  readonly use: readonly CampaignUse[];
  /** Submissions in progress. */
  readonly outstanding: number;
  readonly counts: Budget['counts'];
  /** When and why the budget's workflow had to be restarted; absent if it never had. */
  readonly rebuilt?: { readonly at: number; readonly reason: string };
}

/** What is charged to a token, what it leaves, and what keeps requests from being sent. Times in ms since the epoch. */
export interface AccountStatus {
  /** All of them hold at once, in the order of the configuration; empty: no limit. */
  readonly windows: readonly WindowStatus[];
  /** Jobs that are accepted and have not ended, and the most of them; null: no bound. */
  readonly open: { readonly jobs: number; readonly most: number } | null;
  /** In all windows, and among open jobs; null: no limit. */
  readonly free: number | null;
  /** As in `WindowStatus`. */
  readonly nextFreeAt: number | null;
  /** The 429s that our own jobs do not explain, and the last of them; absent when there was none. */
  readonly strangers?: NonNullable<Budget['strangers']>;
  /** Nothing is sent before; null when it is not blocked. */
  readonly blockedUntil: number | null;
  /** In the words of the service; null when it is not blocked. */
  readonly blockedBecause: string | null;
  /** The service refuses us, not a single row: since when, and its message. Absent if it does not. */
  readonly refusal?: Refusing;
}

/** A campaign that uses the slots of a budget at one moment, or waits for them. */
export interface CampaignUse extends Waiters {
  /** Slots of the window that leaves the least, submissions on their way included; without a limit only these. */
  readonly charged: number;
  /** Why the campaign waits although slots are free; absent when it does not. */
  readonly heldBecause?: string;
}

interface Waiters extends CampaignShare {
  /** null: jobs that belong to no campaign of this budget, of other users of the token for instance. */
  readonly campaign: string | null;
  /** Rows that wait for a slot here, and rows without a request yet. */
  readonly waiting: number;
  /** Of these, how many the budget knows by name. */
  readonly asked: number;
  readonly paused: boolean;
}

/** What the workflow writes. Plain data, a few kB: the closes that still count, and no item ids. */
export interface BudgetSnapshot
  extends ServiceReference, Pick<BudgetStatus, 'strangers' | 'rebuilt'> {
  /** The server's clock (ms) when it was written. */
  readonly at: number;
  /** When the budget decides again without an event (ms); null if only an event can help. */
  readonly wakeAt: number | null;
  readonly policy: Policy;
  readonly submitQueue?: string;
  readonly inFlight: number;
  /** Those that count, ascending. */
  readonly closes: readonly Close[];
  readonly unknownBefore?: number;
  readonly blocked: Hold;
  readonly refusal?: Refusing;
  readonly waiting: readonly (Waiters & { readonly held: Hold | null })[];
  readonly outstanding: readonly {
    readonly campaign: string;
    /** Of unknown outcome, and charged from then at the latest (ms). */
    readonly settlesBy?: number;
  }[];
  readonly counts: Budget['counts'];
  readonly paused: readonly string[];
  /** Jobs that have not ended; absent where they are not counted. */
  readonly open?: number;
}

/** The memo is rewritten with each submission: of more campaigns that wait, only the first are told. */
const MAX_LINES_TOLD = 100;

export function createSnapshot(
  { service, address, credential }: ServiceReference,
  state: Budget,
  at: number,
  wakeAt: number | null,
): BudgetSnapshot {
  const { policy, submitQueue, charges, queue, counts, block, holds, restored, strangers } = state;
  const { inFlight } = charges;
  const open = openJobs(state);
  const counted = listCounting(createLongestWindow(policy), charges, at);
  const unknownBefore = findLatestUnknown(charges, counted.length);
  const { until, reason, refusesSince } = block;
  const blocked = { until, reason };
  const all = holds[EVERYTHING];
  return {
    service,
    address,
    credential,
    at,
    wakeAt,
    policy,
    inFlight,
    ...(submitQueue !== undefined && { submitQueue }),
    closes: counted,
    ...(unknownBefore !== undefined && { unknownBefore }),
    blocked: all && all.until > until ? all : blocked,
    ...(refusesSince !== null && { refusal: { since: refusesSince, reason } }),
    waiting: queue.lines.slice(0, MAX_LINES_TOLD).map(({ campaign, waiting, behind, ...line }) => ({
      campaign,
      waiting: waiting.length + (behind ?? 0),
      asked: waiting.length,
      ...pickShare(line),
      paused: queue.paused.includes(campaign),
      held: holds[campaign] ?? null,
    })),
    outstanding: [
      ...Object.values(state.outstanding).map(toOutstanding),
      ...Object.values(state.unsure).map((of) => ({
        ...toOutstanding(of),
        settlesBy: of.settlesBy,
      })),
    ],
    counts: { ...counts },
    paused: [...queue.paused],
    ...(open !== undefined && { open }),
    ...(strangers && { strangers }),
    ...(restored && { rebuilt: { at: restored.at, reason: restored.reason } }),
  };
}

function toOutstanding({ request: { campaign } }: Grant) {
  return { campaign };
}

/** Closes that have left every window are not written, but remembered as unknown. */
function findLatestUnknown(
  { closes, unknownBefore }: Charges,
  counted: number,
): number | undefined {
  const known = [closes[closes.length - counted - 1]?.[0], unknownBefore].filter(
    (time) => time !== undefined,
  );
  return known.length === 0 ? undefined : Math.max(...known);
}

const UNKNOWN = 'what was charged before is not known: its window counts as full once';

/** The status at `now` (ms). */
export function describe(snapshot: BudgetSnapshot, now: number): BudgetStatus {
  const { service, address, credential, outstanding, counts, rebuilt } = snapshot;
  const account = describeAccount(snapshot, now);
  return {
    service,
    address,
    credential,
    now,
    ...account,
    use: describeUse(snapshot, sortByTightness(account)[0] ?? null, now),
    outstanding: outstanding.filter(({ settlesBy }) => settlesBy === undefined).length,
    counts,
    ...(rebuilt && { rebuilt }),
  };
}

/** What an account is described by, whatever its budget knows of campaigns. */
type Account = Pick<BudgetSnapshot, 'policy' | 'inFlight' | 'closes' | 'blocked'> &
  Pick<BudgetSnapshot, 'strangers' | 'unknownBefore' | 'open' | 'refusal'>;

export function describeAccount(snapshot: Account, now: number): AccountStatus {
  const { strangers, policy, inFlight, closes, unknownBefore, open, refusal } = snapshot;
  const usage: Usage = {
    inFlight,
    closes,
    ...(open !== undefined && { open }),
    ...(unknownBefore !== undefined && { unknownBefore }),
  };
  const until = (unknownBefore ?? Number.NEGATIVE_INFINITY) + computeLongestSpan(policy.windows);
  const isUnknown = policy.windows.length > 0 && until > Math.max(now, snapshot.blocked.until);
  const blocked = isUnknown ? { until, reason: UNKNOWN } : snapshot.blocked;
  const isBlocked = blocked.until > now;
  const room = findRoom(policy, usage, now);
  const { maxOpen } = policy;
  return {
    windows: policy.windows.map((window) => describeWindow(window, usage, now)),
    // Some are counted twice (closing.ts): more than are allowed would not be true.
    open:
      maxOpen === null || open === undefined
        ? null
        : { jobs: Math.min(open, maxOpen), most: maxOpen },
    free: Number.isFinite(room.free) ? room.free : null,
    nextFreeAt: toFinite(Math.max(room.nextAt, blocked.until)),
    ...(strangers && { strangers }),
    blockedUntil: isBlocked ? blocked.until : null,
    blockedBecause: isBlocked ? blocked.reason : null,
    ...(refusal && { refusal }),
  };
}

function describeWindow(window: Window, usage: Usage, now: number): WindowStatus {
  const { free, nextAt } = findRoomInWindow(window, usage, now);
  return {
    ...window,
    charged: countCharged(window, usage, now),
    free,
    nextFreeAt: toFinite(nextAt),
    releases: listReleases(window, usage, now),
  };
}

function toFinite(at: number): number | null {
  return Number.isFinite(at) ? at : null;
}

/** First the window that decides: it leaves the fewest slots, and of two such it has the next one later. */
export function sortByTightness({ windows }: Pick<AccountStatus, 'windows'>): WindowStatus[] {
  const nextOf = ({ nextFreeAt }: WindowStatus): number => nextFreeAt ?? Number.POSITIVE_INFINITY;
  return [...windows].sort((a, b) => a.free - b.free || nextOf(b) - nextOf(a) || 0);
}

/** `window`: in which closes are counted; null without a limit. */
function describeUse(
  { waiting, outstanding, closes }: BudgetSnapshot,
  window: Window | null,
  now: number,
): CampaignUse[] {
  const charged = new Map<string | null, number>();
  const begun = outstanding.map(({ campaign }): Close => [now, 1, campaign]);
  const counted = window ? listCounting(window, { inFlight: 0, closes }, now) : [];
  for (const [, jobs, campaign] of [...begun, ...counted])
    charged.set(campaign, (charged.get(campaign) ?? 0) + jobs);
  const lines = waiting.map(({ held, ...line }) => ({
    ...line,
    charged: charged.get(line.campaign) ?? 0,
    ...(held && held.until > now && { heldBecause: held.reason }),
  }));
  for (const { campaign } of lines) charged.delete(campaign);
  const others = Array.from(charged, ([campaign, jobs]) => ({
    ...NOT_WAITING,
    campaign,
    charged: jobs,
  }));
  return [...lines, ...others].sort((a, b) => b.charged - a.charged || b.waiting - a.waiting);
}

const NOT_WAITING = { priority: USUAL_PRIORITY, user: null, waiting: 0, asked: 0, paused: false };

/**
 * `estimateLastSubmission`, from the status of a budget. A bound on open jobs is a window as long as one of them runs: `jobMs`, if it
 * is known.
 */
export function estimateLastSubmissionIn(
  { windows, open, blockedUntil }: AccountStatus,
  jobs: number,
  jobMs: number | null,
  now: number,
): number {
  const longest = windows.find((window) => computeSpan(window) === computeLongestSpan(windows));
  const closes = longest?.releases.map((at) => at - computeSpan(longest)) ?? [];
  const inFlight = Math.max(0, (longest?.charged ?? 0) - closes.length);
  const charged = [...closes, ...Array<number>(inFlight).fill(now)].sort((a, b) => a - b);
  const side =
    open === null || jobMs === null ? [] : [{ limit: open.most, windowMs: Math.max(0, jobMs) }];
  return estimateLastSubmission(
    [...windows, ...side],
    charged,
    jobs,
    Math.max(now, blockedUntil ?? 0),
  );
}

/** The run before a budget. */
export interface FormerBudget {
  readonly run: string;
  /** Why it ended, for people: a sentence without its full stop. */
  readonly reason: string;
  /** Its memo; null if it cannot be read. */
  readonly written: BudgetSnapshot | null;
}

/**
 * The charges of `former` replace those of `state`. A submission that was outstanding there may end this late, so it
 * counts from then. `former` null: what was charged is unknown, and every window counts as full once.
 *
 * @param now when both runs have certainly ended to begin submissions (ms)
 */
export function inherit(state: Budget, former: BudgetSnapshot | null, now: number): void {
  // Its limits are those that a worker has told it, if one has.
  const isConfigured = state.charges.changed > 0;
  const latest = now + LATEST_ACCEPTANCE_MS;
  if (former === null) {
    forgetBefore(state, latest);
    return;
  }
  const { policy, submitQueue, closes, unknownBefore, outstanding, paused } = former;
  if (!isConfigured) setPolicy(state, policy);
  if (!isConfigured && submitQueue !== undefined) state.submitQueue = submitQueue;
  const open = outstanding.map(({ campaign }): Close => [latest, 1, campaign]);
  state.charges.closes = [...closes, ...open].sort(([a], [b]) => a - b);
  if (unknownBefore !== undefined) forgetBefore(state, unknownBefore);
  takeBlock(state.block, former);
  for (const campaign of paused) pauseCampaign(state.queue, campaign, true);
}

/** What the service ordered holds for the next run. */
function takeBlock(block: Block, { blocked }: BudgetSnapshot): void {
  const { until, reason } = blocked;
  if (until <= block.until) return;
  Object.assign(block, {
    ...createBlock(),
    until,
    ordered: until,
    reason,
    refusals: 1,
    probing: true,
  });
}

/** `predictions`, and of a further lane `predictions (host:8080)`. @param budgets of one campaign, in its order */
export function nameBudget(
  { service, address }: Pick<BudgetStatus, 'service' | 'address'>,
  budgets: readonly Pick<BudgetStatus, 'service' | 'address'>[],
): string {
  const first = budgets.find((one) => one.service === service);
  return first === undefined || first.address === address ? service : `${service} (${address})`;
}
