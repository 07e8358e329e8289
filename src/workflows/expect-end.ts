/**
 * When the end of a campaign is expected: what it has left, and how the budgets it draws on stand.
 *
 * Only the budgets know what is charged, and a workflow cannot query another one: an activity reads them and runs
 * the arithmetic of `plan`. Rejected: signals from the budgets, an event for each change, and the pace so far,
 * which is wrong after the first burst.
 */
import { isCancellation, log } from '@temporalio/workflow';
import type { CampaignProgress } from '../domain/campaign.ts';
import { foresee } from './activity-options.ts';
import type { Feed } from './feed.ts';
import type { Foreseen } from './activity-types.ts';

/**
 * Recent events are omitted: they are not needed here, and every forecast stays in the history.
 * @returns null when nothing is open, or a budget does not answer: that is no reason to end a campaign
 */
export async function expectEnd(
  store: string,
  { recent: _recent, failures: _failures, ...progress }: CampaignProgress,
  feeds: readonly Feed[],
): Promise<Foreseen | null> {
  // A budget without requests may not exist.
  const asked = feeds
    .filter(({ open }) => open.size > 0)
    .flatMap(({ spec: { reference, others = [] } }) => [
      reference,
      ...others.map((credential) => ({ ...reference, credential })),
    ]);
  if (asked.length === 0) return null;
  const summary = 'when the end is expected';
  try {
    return await foresee.executeWithOptions({ summary }, [store, progress, asked]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    log.warn('the end could not be estimated', { error: String(error) });
    return null;
  }
}
