/** The budget as people want to see it: what is charged, what is free, when the next slots free up, who waits. */
import type { Block } from './block.ts';
import type { BudgetState, Grant } from './budget.ts';
import { charged, free, nextFree, releases, type Window } from './window.ts';

/** A window at one moment. Times in ms since the epoch. */
export interface WindowStatus {
  readonly limit: number | null;
  readonly windowMs: number;
  readonly charged: number;
  /** null: no limit. */
  readonly free: number | null;
  /** When the next slot can be taken; null when only an answer that is still due can free one. */
  readonly nextFreeAt: number | null;
  /** When the charged slots become free, ascending. */
  readonly releases: readonly number[];
  readonly blockedUntil: number | null;
  readonly blockedBecause: string | null;
}

export interface BudgetStatus {
  readonly service: string;
  readonly address: string;
  readonly now: number;
  readonly addressWindow: WindowStatus;
  readonly credentials: readonly (WindowStatus & { readonly credential: string })[];
  readonly waiting: readonly {
    readonly campaign: string;
    readonly credential: string;
    readonly items: number;
    readonly paused: boolean;
  }[];
  /** Submissions on their way. */
  readonly outstanding: number;
  readonly counts: BudgetState['counts'];
}

export function describe(
  of: { readonly service: string; readonly address: string },
  state: BudgetState,
  now: number,
): BudgetStatus {
  // Given out ahead of time: not yet used, though the state counts them.
  const ahead = Object.values(state.outstanding).filter(({ notBefore }) => notBefore > now);
  return {
    service: of.service,
    address: of.address,
    now,
    addressWindow: describeWindow(state.address, state.addressBlock, ahead, now),
    credentials: Object.entries(state.credentials).map(([credential, { window, block }]) => ({
      credential,
      ...describeWindow(
        window,
        block,
        ahead.filter(({ request }) => request.credential === credential),
        now,
      ),
    })),
    waiting: state.queue.lanes.map(({ campaign, credential, waiting }) => ({
      campaign,
      credential,
      items: waiting.length,
      paused: state.queue.paused.includes(campaign),
    })),
    outstanding: Object.keys(state.outstanding).length,
    counts: { ...state.counts },
  };
}

function describeWindow(
  window: Window,
  block: Block,
  ahead: readonly Grant[],
  now: number,
): WindowStatus {
  const next = Math.max(nextFree(window, now), block.until);
  return {
    limit: window.limit,
    windowMs: window.windowMs,
    charged: charged(window, now) - ahead.length,
    free: window.limit === null ? null : free(window, now),
    nextFreeAt: Number.isFinite(next) ? next : null,
    releases: releases(window, now),
    blockedUntil: block.until > now ? block.until : null,
    blockedBecause: block.until > now ? block.reason : null,
  };
}
