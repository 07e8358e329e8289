/** Asking the budget of a service for leave to submit items, each once. */
import { getExternalWorkflowHandle, isCancellation } from '@temporalio/workflow';
import type { Request } from '../budget/lanes.ts';
import { ensureBudget } from './activity-options.ts';
import { requestSignal, type ItemInput } from './messages.ts';
import { budgetWorkflowId, itemWorkflowId } from './names.ts';

/**
 * Asks for the given items of one service, all in one signal: a signal for each would cost as much as its
 * submission. `attempt`: which submission of the items this is, from 0.
 */
export async function askBudget(inputs: readonly ItemInput[], attempt: number): Promise<void> {
  const unsent = inputs.filter(({ remoteId }) => remoteId === undefined);
  const [first] = unsent;
  if (!first) return;
  const keeper = getExternalWorkflowHandle(budgetWorkflowId(first.reference));
  const requests = unsent.map((input) => requestOf(input, attempt));
  try {
    await keeper.signal(requestSignal, requests);
  } catch (error) {
    if (isCancellation(error)) throw error;
    // Somebody ended the budget workflow by hand: it is started anew.
    await ensureBudget(first.reference);
    await keeper.signal(requestSignal, requests);
  }
}

function requestOf(input: ItemInput, attempt: number): Request {
  const { campaign, store, id, kind, generation, reference, weight } = input;
  return {
    item: itemWorkflowId(campaign, id),
    campaign,
    credential: reference.credential,
    attempt,
    weight,
    job: { id, kind, generation, store },
  };
}
