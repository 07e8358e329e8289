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

/** The states of a campaign. */
export type CampaignState = 'running' | 'paused' | 'publishing' | 'completed' | 'cancelled';
