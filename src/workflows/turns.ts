/**
 * The turns of campaigns at a task queue that they share. Pure: activities use it as well.
 *
 * The workflows of items, their polls and downloads, and publications have a fairness key. Submissions have none,
 * because the budget orders them; other activities are short.
 */
import type { Priority } from '@temporalio/common';

/**
 * Campaigns whose tasks wait in one task queue take turns, if the server has fairness enabled
 * (`matching.enableFairness`). Other servers ignore it.
 */
export function inTurns(campaign: string): { readonly priority: Priority } {
  return { priority: { fairnessKey: campaign } };
}
