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

/** What the server takes for a weight. */
const LEAST_WEIGHT = 0.001;

/**
 * Campaigns whose tasks wait at one task queue have turns by their shares, where fairness is switched on at the server
 * (`matching.enableFairness`). Other servers take no notice.
 */
export function inTurns({ campaign, weight }: Sharer): { readonly priority: Priority } {
  return { priority: { fairnessKey: campaign, fairnessWeight: Math.max(LEAST_WEIGHT, weight) } };
}
