/**
 * The status of a budget for display: what is charged, what is free, when the next slots become free, who waits.
 *
 * The budget's workflow writes a snapshot, and readers compute the status at that moment from it. So no one has to
 * query the workflow: a query makes another worker replay it, and that has broken budgets (docs/reliability.md).
 */
import type { Block } from './block.ts';
import { busyWith, holdsOf, type Budget } from './state.ts';
import type { Hold } from './holds.ts';
import { useSnapshot, type UseSnapshot } from './use.ts';
import { describeUse, type CampaignUse } from './use-status.ts';
import {
  charged,
  countingCloses,
  free,
  nextFree,
  releases,
  type Charges,
  type Window,
} from './window.ts';

/** A window at one moment. Times in ms since the epoch. */
export interface WindowStatus {
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
  /** Nothing is sent before; null when it is not blocked. */
  readonly blockedUntil: number | null;
  /** In the words of the service; null when it is not blocked. */
  readonly blockedBecause: string | null;
  /** The service refuses us, not a single row: since when, and its message. Absent if it does not. */
  readonly refusal?: Refusing;
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
  readonly addressWindow: WindowStatus;
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

interface Waiters {
  readonly campaign: string;
  readonly credential: string;
  /** Rows that wait for a slot here, and rows without a request yet. */
  readonly items: number;
  /** Of these, how many the budget knows by name; absent from budgets that knew all of them. */
  readonly asked?: number;
  /** Absent where it is the usual one. */
  readonly weight?: number;
  readonly priority?: number;
  readonly reserve?: number;
  readonly user?: string;
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
  readonly addressWindow: WindowSnapshot;
  readonly credentials: readonly (WindowSnapshot &
    Pick<CredentialStatus, 'credential' | 'strangers'> & {
      /** Absent from budgets that did not keep it. */
      readonly use?: UseSnapshot;
    })[];
  readonly waiting: readonly (Omit<Waiters, 'heldBecause'> & { readonly held: Hold | null })[];
  readonly outstanding: readonly {
    readonly campaign: string;
    readonly credential: string;
    readonly notBefore: number;
  }[];
  readonly counts: Budget['counts'];
  readonly rebuilt?: NonNullable<BudgetStatus['rebuilt']>;
}

interface WindowSnapshot extends Charges {
  readonly blocked: Hold;
  readonly refusal?: Refusing;
}

export function snapshotOf(
  of: { readonly service: string; readonly address: string },
  state: Budget,
  at: number,
  wakeAt: number | null,
): BudgetSnapshot {
  const { restored, queue, counts, strangers = {} } = state;
  const holds = holdsOf(state);
  return {
    service: of.service,
    address: of.address,
    at,
    wakeAt,
    addressWindow: windowSnapshot(state.address, state.addressBlock, undefined, at),
    credentials: Object.entries(state.credentials).map(([credential, of]) => {
      const window = windowSnapshot(of.window, of.block, holds.credentials[credential], at);
      return {
        credential,
        ...(strangers[credential] && { strangers: strangers[credential] }),
        ...window,
        use: useSnapshot(of, window.closes, busyWith(state, credential), at),
      };
    }),
    waiting: queue.lanes.map(({ campaign, credential, waiting, behind = 0, ...lane }) => ({
      campaign,
      credential,
      items: waiting.length + behind,
      asked: waiting.length,
      ...(lane.weight !== 1 && { weight: lane.weight }),
      ...(lane.priority !== undefined && { priority: lane.priority }),
      ...(lane.reserve !== undefined && { reserve: lane.reserve }),
      ...(lane.user !== undefined && { user: lane.user }),
      paused: queue.paused.includes(campaign),
      held: holds.campaigns[campaign] ?? null,
    })),
    outstanding: Object.values(state.outstanding).map(({ request, notBefore }) => ({
      campaign: request.campaign,
      credential: request.credential,
      notBefore,
    })),
    counts: { ...counts },
    ...(restored && { rebuilt: { at: restored.at, reason: restored.reason } }),
  };
}

function windowSnapshot(
  window: Window,
  block: Block,
  held: Hold | undefined,
  at: number,
): WindowSnapshot {
  const { limit, windowMs, inFlight } = window;
  const counting = countingCloses(window, at);
  const { until, reason, refusesSince } = block;
  const blocked = { until, reason };
  return {
    limit,
    windowMs,
    inFlight,
    ...(refusesSince !== undefined && { refusal: { since: refusesSince, reason } }),
    closes: window.closes.slice(window.closes.length - counting),
    blocked: held && held.until > block.until ? held : blocked,
  };
}

/** The status at `now` (ms). */
export function describe(snapshot: BudgetSnapshot, now: number): BudgetStatus {
  const { service, address, addressWindow, credentials, waiting, outstanding } = snapshot;
  // Given out ahead of time: not yet used, though the state counts them.
  const ahead = outstanding.filter(({ notBefore }) => notBefore > now);
  return {
    service,
    address,
    now,
    addressWindow: describeWindow(addressWindow, ahead.length, now),
    use: describeUse(snapshot, now),
    credentials: credentials.map(({ credential, strangers, use: _, ...window }) => {
      const own = ahead.filter((grant) => grant.credential === credential).length;
      return {
        credential,
        ...(strangers && { strangers }),
        ...describeWindow(window, own, now),
      };
    }),
    waiting: waiting.map(({ held, ...waiters }) => ({
      ...waiters,
      ...(held && held.until > now && { heldBecause: held.reason }),
    })),
    outstanding: outstanding.length,
    counts: snapshot.counts,
    ...(snapshot.rebuilt && { rebuilt: snapshot.rebuilt }),
  };
}

function describeWindow(window: WindowSnapshot, ahead: number, now: number): WindowStatus {
  const { blocked, refusal, limit, windowMs } = window;
  const next = Math.max(nextFree(window, now), blocked.until);
  return {
    limit,
    windowMs,
    charged: charged(window, now) - ahead,
    free: limit === null ? null : free(window, now),
    nextFreeAt: Number.isFinite(next) ? next : null,
    releases: releases(window, now),
    blockedUntil: blocked.until > now ? blocked.until : null,
    blockedBecause: blocked.until > now ? blocked.reason : null,
    ...(refusal && { refusal }),
  };
}
