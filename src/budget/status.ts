/**
 * The status of a budget for display: what is charged, what is free, when the next slots become free, who waits.
 *
 * The budget's workflow writes a snapshot, and readers compute the status at that moment from it. So no one has to
 * query the workflow: a query makes another worker replay it, and that has broken budgets (docs/reliability.md).
 */
import type { Standing } from '../domain/campaign.ts';
import type { Block } from './block.ts';
import { standingIn } from './lanes.ts';
import type { CredentialState, Budget, Grant } from './state.ts';
import type { Hold } from './holds.ts';
import { openJobs } from './open-jobs.ts';
import {
  closesOf,
  describeUse,
  snapshotUsers,
  type CampaignUse,
  type UserSnapshot,
} from './use.ts';
import {
  charged,
  counting,
  GUARD_MS,
  longestMs,
  longestWindow,
  releases,
  roomIn,
  roomInWindow,
  type Policy,
  type Usage,
  type Window,
} from './policy.ts';

/** What keeps requests from being sent, at one moment. Times in ms since the epoch. */
export interface BlockStatus {
  /** Nothing is sent before; null when it is not blocked. */
  readonly blockedUntil: number | null;
  /** In the words of the service; null when it is not blocked. */
  readonly blockedBecause: string | null;
  /** The service refuses us, not a single row: since when, and its message. Absent if it does not. */
  readonly refusal?: Refusing;
}

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

export interface BudgetStatus {
  readonly service: string;
  readonly address: string;
  readonly now: number;
  /** Of every credential. */
  readonly addressBlock: BlockStatus;
  readonly credentials: readonly CredentialStatus[];
  readonly waiting: readonly Waiters[];
  /** Which campaigns use it. */
  readonly use: readonly CampaignUse[];
  /** Submissions in progress. */
  readonly outstanding: number;
  readonly counts: Budget['counts'];
  /** When and why the budget's workflow had to be restarted; absent if it never had. */
  readonly rebuilt?: { readonly at: number; readonly reason: string };
}

export interface CredentialStatus extends BlockStatus {
  readonly credential: string;
  /** All of them hold at once, in the order of the configuration; empty: no limit. */
  readonly windows: readonly WindowStatus[];
  /** Jobs that are accepted and have not ended, and the most of them; null: no bound. */
  readonly open: { readonly jobs: number; readonly most: number } | null;
  /** In all windows, and among open jobs; null: no limit. */
  readonly free: number | null;
  /** As in `WindowStatus`. */
  readonly nextFreeAt: number | null;
  /** The 429s that our own jobs do not explain, and the last of them; absent when there was none. */
  readonly strangers?: { readonly at: number; readonly count: number };
}

interface Waiters extends Standing {
  readonly campaign: string;
  readonly credential: string;
  /** Rows that wait for a slot here, and rows without a request yet. */
  readonly items: number;
  /** Of these, how many the budget knows by name. */
  readonly asked: number;
  readonly paused: boolean;
  /** Why the campaign waits although slots are free; absent when it does not. */
  readonly heldBecause?: string;
}

/** What the workflow writes. Plain data, a few kB: the closes that still count, and no item ids. */
export interface BudgetSnapshot {
  readonly service: string;
  readonly address: string;
  /** The server's clock (ms) when it was written. */
  readonly at: number;
  /** When the budget decides again without an event (ms); null if only an event can help. */
  readonly wakeAt: number | null;
  readonly addressBlock: BlockSnapshot;
  readonly credentials: readonly CredentialSnapshot[];
  readonly waiting: readonly (Omit<Waiters, 'heldBecause'> & { readonly held: Hold | null })[];
  readonly outstanding: readonly {
    readonly campaign: string;
    readonly credential: string;
    readonly notBefore: number;
    /** Of unknown fate, and charged from then at the latest (ms). */
    readonly settlesBy?: number;
  }[];
  readonly counts: Budget['counts'];
  readonly paused: readonly string[];
  readonly unknownBefore?: number;
  /** Jobs that have not ended; absent where they are not counted. */
  readonly open?: number;
  readonly rebuilt?: NonNullable<BudgetStatus['rebuilt']>;
}

interface BlockSnapshot {
  readonly blocked: Hold;
  readonly refusal?: Refusing;
}

interface CredentialSnapshot
  extends BlockSnapshot, Pick<CredentialStatus, 'credential' | 'strangers'> {
  readonly policy: Policy;
  readonly inFlight: number;
  /** With the closes that count. */
  readonly users: readonly UserSnapshot[];
  readonly unknownBefore?: number;
  readonly submitQueue?: string;
}

export function snapshotOf(
  of: { readonly service: string; readonly address: string },
  state: Budget,
  at: number,
  wakeAt: number | null,
): BudgetSnapshot {
  const { restored, queue, counts, unknownBefore, holds, strangers } = state;
  const open = openJobs(state);
  return {
    service: of.service,
    address: of.address,
    at,
    wakeAt,
    addressBlock: blockSnapshot(state.addressBlock),
    credentials: Object.entries(state.credentials).map(([credential, of]) => {
      return {
        credential,
        ...(strangers[credential] && { strangers: strangers[credential] }),
        ...credentialSnapshot(of, holds.credentials[credential], at),
        ...(of.submitQueue !== undefined && { submitQueue: of.submitQueue }),
      };
    }),
    waiting: queue.lanes.map(({ campaign, credential, waiting, behind, ...lane }) => ({
      campaign,
      credential,
      items: waiting.length + (behind ?? 0),
      asked: waiting.length,
      ...standingIn(lane),
      paused: queue.paused.includes(campaign),
      held: holds.campaigns[campaign] ?? null,
    })),
    outstanding: [
      ...Object.values(state.outstanding).map(underWay),
      ...Object.values(state.unsure).map((of) => ({ ...underWay(of), settlesBy: of.settlesBy })),
    ],
    counts: { ...counts },
    paused: [...queue.paused],
    ...(unknownBefore !== undefined && { unknownBefore }),
    ...(open !== undefined && { open }),
    ...(restored && { rebuilt: { at: restored.at, reason: restored.reason } }),
  };
}

function underWay({ request: { campaign, credential }, notBefore }: Grant) {
  return { campaign, credential, notBefore };
}

/** Closes that have left every window are not written, but remembered as unknown. */
function credentialSnapshot(
  { policy, charges, users, block }: CredentialState,
  held: Hold | undefined,
  at: number,
): Omit<CredentialSnapshot, 'credential'> {
  const { inFlight, closes } = charges;
  const counted = counting(longestWindow(policy), charges, at);
  const unknownBefore = laterOf(
    closes[closes.length - counted.length - 1]?.[0],
    charges.unknownBefore,
  );
  const own = blockSnapshot(block);
  return {
    policy,
    inFlight,
    users: snapshotUsers(users, counted),
    ...(unknownBefore !== undefined && { unknownBefore }),
    ...own,
    blocked: held && held.until > block.until ? held : own.blocked,
  };
}

function laterOf(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function blockSnapshot({ until, reason, refusesSince }: Block): BlockSnapshot {
  return {
    blocked: { until, reason },
    ...(refusesSince !== null && { refusal: { since: refusesSince, reason } }),
  };
}

/** The status at `now` (ms). */
export function describe(snapshot: BudgetSnapshot, now: number): BudgetStatus {
  const { service, address, addressBlock, credentials, waiting, outstanding } = snapshot;
  // Given out ahead of time: not yet used, though the state counts them.
  const ahead = outstanding.filter(({ notBefore }) => notBefore > now);
  const described = credentials.map((one) => {
    const own = ahead.filter(({ credential }) => credential === one.credential).length;
    return describeCredential(one, own, snapshot.open, now);
  });
  return {
    service,
    address,
    now,
    addressBlock: describeBlock(addressBlock, now),
    use: described.flatMap((status, i) =>
      describeUse(snapshot, credentials[i] as CredentialSnapshot, tightest(status), now),
    ),
    credentials: described,
    waiting: waiting.map(({ held, ...waiters }) => ({
      ...waiters,
      ...(held && held.until > now && { heldBecause: held.reason }),
    })),
    outstanding: outstanding.filter(({ settlesBy }) => settlesBy === undefined).length,
    counts: snapshot.counts,
    ...(snapshot.rebuilt && { rebuilt: snapshot.rebuilt }),
  };
}

const UNKNOWN = 'what was charged before is not known: its window counts as full once';

function describeCredential(
  of: CredentialSnapshot,
  ahead: number,
  open: number | undefined,
  now: number,
): CredentialStatus {
  const { credential, strangers, policy, inFlight, users, unknownBefore, ...block } = of;
  const usage: Usage = {
    inFlight,
    closes: closesOf(users),
    ...(open !== undefined && { open }),
    ...(unknownBefore !== undefined && { unknownBefore }),
  };
  const until = (unknownBefore ?? Number.NEGATIVE_INFINITY) + longestMs(policy.windows) + GUARD_MS;
  const isUnknown = policy.windows.length > 0 && until > Math.max(now, block.blocked.until);
  const blocked = isUnknown ? { until, reason: UNKNOWN } : block.blocked;
  const room = roomIn(policy, usage, now);
  const { maxOpen } = policy;
  const free = Number.isFinite(room.free) ? room.free : null;
  return {
    credential,
    ...(strangers && { strangers }),
    windows: policy.windows.map((window) => describeWindow(window, usage, ahead, now)),
    // Some are counted twice (open-jobs.ts): more than are allowed would not be true.
    open:
      maxOpen === null || open === undefined
        ? null
        : { jobs: Math.min(open, maxOpen), most: maxOpen },
    free,
    nextFreeAt: finite(Math.max(room.nextAt, blocked.until)),
    ...describeBlock({ ...block, blocked }, now),
  };
}

function describeWindow(window: Window, usage: Usage, ahead: number, now: number): WindowStatus {
  const { free, nextAt } = roomInWindow(window, usage, now);
  return {
    ...window,
    charged: charged(window, usage, now) - ahead,
    free,
    nextFreeAt: finite(nextAt),
    releases: releases(window, usage, now),
  };
}

function finite(at: number): number | null {
  return Number.isFinite(at) ? at : null;
}

/** The window that decides: it leaves the fewest slots, and of two such it has the next one later. Null without one. */
export function tightest({ windows }: Pick<CredentialStatus, 'windows'>): WindowStatus | null {
  const nextOf = ({ nextFreeAt }: WindowStatus): number => nextFreeAt ?? Number.POSITIVE_INFINITY;
  const sorted = [...windows].sort((a, b) => a.free - b.free || nextOf(b) - nextOf(a) || 0);
  return sorted[0] ?? null;
}

/** All windows: first the one that decides, then the others as they are configured. */
export function tightestFirst(own: Pick<CredentialStatus, 'windows'>): readonly WindowStatus[] {
  const first = tightest(own);
  return first === null ? [] : [first, ...own.windows.filter((window) => window !== first)];
}

function describeBlock({ blocked, refusal }: BlockSnapshot, now: number): BlockStatus {
  const isBlocked = blocked.until > now;
  return {
    blockedUntil: isBlocked ? blocked.until : null,
    blockedBecause: isBlocked ? blocked.reason : null,
    ...(refusal && { refusal }),
  };
}
