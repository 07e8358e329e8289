/**
 * The turns of campaigns at a task queue that they share. Pure: activities use it as well.
 *
 * The workflows of items, their polls and downloads, and publications have a fairness key. Submissions have none,
 * because the budget orders them; other activities are short.
 */
import type { Priority } from '@temporalio/common';

export interface Sharer {
  readonly campaign: string;
  /** Its share. */
  readonly weight: number;
}

/** The weights that the server accepts. */
const LEAST_WEIGHT = 0.001;

/**
 * Campaigns whose tasks wait in one task queue take turns by their shares, if the server has fairness enabled
 * (`matching.enableFairness`). Other servers ignore it.
 */
export function inTurns({ campaign, weight }: Sharer): { readonly priority: Priority } {
  return { priority: { fairnessKey: campaign, fairnessWeight: Math.max(LEAST_WEIGHT, weight) } };
}
