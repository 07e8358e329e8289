/**
 * Starts the workflow of an item with the answer to its submission, in the activity that has the answer: until then the
 * item waits in the budget's queue, at no cost for the server.
 *
 * Rejected: a start by the campaign after the grant, which delays the job by two workflow tasks; a start delay,
 * from which a signal does not wake a workflow; standalone activities, which have no state, attempts or files to
 * show.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { log } from '@temporalio/activity';
import { standingIn } from '../budget/lanes.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { beginOf, isSettled } from '../workflows/fates.ts';
import { itemStart } from '../workflows/search-attributes.ts';
import type { ItemInput } from '../workflows/messages.ts';
import { inTurns } from '../workflows/names.ts';
import type {
  SettledResult,
  SubmitRequest,
  SubmitResult,
  SubmitAnswer,
} from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';

type Needed = Pick<Dependencies, 'starter' | 'taskQueue'>;

export async function startItem(
  { starter, taskQueue }: Needed,
  request: SubmitRequest,
  reference: ServiceReference,
  answer: SettledResult,
): Promise<void> {
  const { item, campaign, job } = request;
  const { id, kind, generation, store, tree, launch } = job;
  const begin = beginOf(request, answer);
  const address = { id, kind, generation, campaign, store, tree };
  const input = { ...address, reference, ...standingIn(request), ...launch, begin };
  try {
    await starter.workflow.start('item', {
      requestEagerStart: true,
      workflowId: item,
      taskQueue,
      args: [input] satisfies [ItemInput],
      ...itemStart(input),
      ...inTurns(campaign),
    });
  } catch (error) {
    // By an earlier attempt of this activity, or by a campaign of this name that was terminated: it has this job, because
    // no other one was sent.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** If that fails, or if the budget has to judge the answer, the budget starts it. */
export async function startIfSettled(
  deps: Needed,
  request: SubmitRequest,
  reference: ServiceReference,
  result: SubmitResult,
): Promise<SubmitAnswer> {
  if (!isSettled(result)) return result;
  try {
    await startItem(deps, request, reference, result);
    return { ...result, told: true };
  } catch (error) {
    log.warn('the item was not started with its job; the budget will start it', {
      error: String(error),
    });
    return result;
  }
}
