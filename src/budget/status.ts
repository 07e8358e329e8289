/**
 * The status of a budget for display: what is charged, what is free, when the next slots become free, who waits.
 *
 * The budget's workflow writes a snapshot, and readers compute the status at that moment from it. So no one has to
 * query the workflow: a query makes another worker replay it, and that has broken budgets (docs/reliability.md).
 */
import type { Standing } from '../domain/campaign.ts';
import type { Block } from './block.ts';
import { standingIn } from './lanes.ts';
import { busyWith, fullUntil, type Budget, type Grant } from './state.ts';
import type { Hold } from './holds.ts';
import { useSnapshot, describeUse, type UseSnapshot, type CampaignUse } from './use.ts';
import {
  charged,
  countingCloses,
  free,
  nextFree,
  releases,
  type Charges,
  type Window,
} from './window.ts';

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
export interface WindowStatus extends BlockStatus {
  /** Jobs in any window; null: no limit. */
  readonly limit: number | null;
  /** Length of the window (ms). */
  readonly windowMs: number;
  /** Slots in use. */
  readonly charged: number;
  /** null: no limit. */
  readonly free: number | null;
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

interface CredentialStatus extends WindowStatus {
  readonly credential: string;
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
  readonly credentials: readonly (WindowSnapshot &
    Pick<CredentialStatus, 'credential' | 'strangers'> & {
      readonly use: UseSnapshot;
      readonly submitQueue?: string;
    })[];
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
  readonly fullSince?: number;
  readonly rebuilt?: NonNullable<BudgetStatus['rebuilt']>;
}

interface BlockSnapshot {
  readonly blocked: Hold;
  readonly refusal?: Refusing;
}

type WindowSnapshot = Charges & BlockSnapshot;

export function snapshotOf(
  of: { readonly service: string; readonly address: string },
  state: Budget,
  at: number,
  wakeAt: number | null,
): BudgetSnapshot {
  const { restored, queue, counts, fullSince, holds, strangers } = state;
  return {
    service: of.service,
    address: of.address,
    at,
    wakeAt,
    addressBlock: blockSnapshot(state.addressBlock),
    credentials: Object.entries(state.credentials).map(([credential, of]) => {
      const window = windowSnapshot(of.window, of.block, holds.credentials[credential], at);
      return {
        credential,
        ...(strangers[credential] && { strangers: strangers[credential] }),
        ...window,
        ...(of.submitQueue !== undefined && { submitQueue: of.submitQueue }),
        use: useSnapshot(of, window.closes, busyWith(state, credential), at),
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
    ...(fullSince !== undefined && { fullSince }),
    ...(restored && { rebuilt: { at: restored.at, reason: restored.reason } }),
  };
}

function underWay({ request: { campaign, credential }, notBefore }: Grant) {
  return { campaign, credential, notBefore };
}

function windowSnapshot(
  window: Window,
  block: Block,
  held: Hold | undefined,
  at: number,
): WindowSnapshot {
  const { limit, windowMs, inFlight } = window;
  const counting = countingCloses(window, at);
  const own = blockSnapshot(block);
  return {
    limit,
    windowMs,
    inFlight,
    closes: window.closes.slice(window.closes.length - counting),
    ...own,
    blocked: held && held.until > block.until ? held : own.blocked,
  };
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
  return {
    service,
    address,
    now,
    addressBlock: describeBlock(addressBlock, now),
    use: describeUse(snapshot, now),
    credentials: credentials.map(({ credential, strangers, use: _, ...window }) => {
      const own = ahead.filter((grant) => grant.credential === credential).length;
      return {
        credential,
        ...(strangers && { strangers }),
        ...describeWindow(window, own, snapshot, now),
      };
    }),
    waiting: waiting.map(({ held, ...waiters }) => ({
      ...waiters,
      ...(held && held.until > now && { heldBecause: held.reason }),
    })),
    outstanding: outstanding.filter(({ settlesBy }) => settlesBy === undefined).length,
    counts: snapshot.counts,
    ...(snapshot.rebuilt && { rebuilt: snapshot.rebuilt }),
  };
}

const UNKNOWN = 'what its former run had charged is not known: its window counts as full once';

function describeWindow(
  window: WindowSnapshot,
  ahead: number,
  snapshot: BudgetSnapshot,
  now: number,
): WindowStatus {
  const { limit, windowMs } = window;
  const until = fullUntil(snapshot, window);
  const blocked = until > window.blocked.until ? { until, reason: UNKNOWN } : window.blocked;
  const next = Math.max(nextFree(window, now), blocked.until);
  return {
    limit,
    windowMs,
    charged: charged(window, now) - ahead,
    free: limit === null ? null : free(window, now),
    nextFreeAt: Number.isFinite(next) ? next : null,
    releases: releases(window, now),
    ...describeBlock({ ...window, blocked }, now),
  };
}

function describeBlock({ blocked, refusal }: BlockSnapshot, now: number): BlockStatus {
  const isBlocked = blocked.until > now;
  return {
    blockedUntil: isBlocked ? blocked.until : null,
    blockedBecause: isBlocked ? blocked.reason : null,
    ...(refusal && { refusal }),
  };
}
