/** Messages of campaigns and items to the budget of a service; above all, requests for slots, one per item. */
import {
  getExternalWorkflowHandle,
  isCancellation,
  type SignalDefinition,
} from '@temporalio/workflow';
import { standingIn } from '../budget/lanes.ts';
import type { FeedSpec, ItemLaunch } from '../domain/campaign.ts';
import { ensureBudget, withToken } from './activity-options.ts';
import { requestSignal, type ItemInput } from './messages.ts';
import { budgetWorkflowId, itemWorkflowId } from './names.ts';
import type { ItemRequest } from './submit-types.ts';

/**
 * Requests slots for the given items of one service, all in one signal: a signal for each would cost as much as its
 * submission. `attempt`: which submission of the items this is, from 0. `behind`: about how many rows of the campaign
 * have no request yet.
 */
export async function askBudget(
  begun: readonly BegunItem[],
  attempt: number,
  behind?: number,
): Promise<void> {
  const unsent = begun.filter(({ input }) => input.remoteId === undefined);
  const [first] = unsent;
  if (!first) return;
  const requests = unsent.map((item) => requestOf(item, attempt, behind));
  await signalBudget(first.input, requestSignal, requests);
}

/** An item whose workflow runs, or will when its submission is answered. */
export interface BegunItem {
  readonly input: ItemInput;
  /** Of its workflow; without one, that of the first run of its campaign. */
  readonly runId: string;
  readonly launch?: ItemLaunch;
  /** A submission of unknown fate that the service does not have (budget/request.ts). */
  readonly replaces?: string;
}

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

function requestOf(
  { input, runId, launch, replaces }: BegunItem,
  attempt: number,
  behind?: number,
): ItemRequest {
  const { campaign, store, tree, id, kind, generation, reference } = input;
  return {
    item: itemWorkflowId(campaign, id),
    run: runId,
    campaign,
    credential: reference.credential,
    attempt,
    ...standingIn(input),
    ...(behind !== undefined && { behind }),
    ...(replaces !== undefined && { replaces }),
    job: {
      id,
      kind,
      generation,
      store,
      tree,
      ...(launch !== undefined && { launch }),
    },
  };
}
