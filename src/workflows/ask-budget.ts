/** Messages of campaigns to the budget of a service. */
import {
  getExternalWorkflowHandle,
  isCancellation,
  type SignalDefinition,
} from '@temporalio/workflow';
import type { FeedSpec } from '../domain/campaign.ts';
import { ensureBudget, withToken } from './activity-options.ts';
import { budgetWorkflowId } from './names.ts';

/** A budget workflow that was terminated is started again. */
export async function signalBudget<T>(
  feed: Pick<FeedSpec, 'reference' | 'fetchQueue'>,
  signal: SignalDefinition<[T]>,
  what: T,
): Promise<void> {
  const keeper = getExternalWorkflowHandle(budgetWorkflowId(feed.reference));
  try {
    await keeper.signal(signal, what);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const options = withToken(`start the budget of ${feed.reference.service}`, feed);
    await ensureBudget.executeWithOptions(options, [feed.reference]);
    await keeper.signal(signal, what);
  }
}
