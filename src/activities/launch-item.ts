/**
 * Starts the workflow of an item with the answer to its submission, in the activity that has sent it: until then the item
 * waits in the budget's queue, at no cost for the server.
 *
 * Rejected: a start by the campaign after the grant, which delays the job by two workflow tasks; a start delay,
 * from which a signal does not wake a workflow; standalone activities, which have no state, attempts or files to
 * show.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { log } from '@temporalio/activity';
import { standingIn } from '../budget/lanes.ts';
import type { ItemLaunch, ServiceReference } from '../domain/campaign.ts';
import { submittedOf, isAnswer } from '../workflows/fates.ts';
import { itemStart } from '../workflows/item-start.ts';
import { submittedSignal, type ItemInput, type Submitted } from '../workflows/messages.ts';
import { inTurns } from '../workflows/turns.ts';
import type { SubmitRequest, SubmitResult, SubmitAnswer } from '../workflows/submit-types.ts';
import type { Dependencies } from './dependencies.ts';
import { isReached } from './if-found.ts';

type Needed = Pick<Dependencies, 'temporal' | 'starter' | 'taskQueue'>;

export async function launchItem(
  { temporal, starter, taskQueue }: Needed,
  request: SubmitRequest,
  reference: ServiceReference,
  answer: SubmitResult,
): Promise<void> {
  const { item, campaign, job } = request;
  if (!job.launch) throw new Error(`the workflow of ${item} is already running`);
  const submitted = submittedOf(request, answer);
  const input = inputOf(request, job.launch, reference, submitted);
  const remoteId = answer.type === 'accepted' ? answer.remoteId : undefined;
  try {
    await starter.workflow.start('item', {
      requestEagerStart: true,
      workflowId: item,
      taskQueue,
      args: [input] satisfies [ItemInput],
      ...itemStart(input, remoteId === undefined ? 'waiting' : 'running', remoteId),
      ...inTurns(campaign),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    // Started by an earlier attempt of this activity, or by a campaign of this name that was terminated: if it waits
    // for an answer, this is the answer.
    await temporal.workflow.getHandle(item).signal(submittedSignal, submitted);
  }
}

function inputOf(
  request: SubmitRequest,
  launch: ItemLaunch,
  reference: ServiceReference,
  submitted: Submitted,
): ItemInput {
  const { campaign, job } = request;
  const { id, kind, generation, store, tree } = job;
  return {
    id,
    kind: kind,
    generation,
    campaign,
    store,
    tree,
    reference,
    ...standingIn(request),
    ...launch,
    submitted,
  };
}

/**
 * Notifies an item of its job, in the activity that submitted it: a signal by the budget's workflow costs the server
 * two transactions more, and the item waits for the budget's next task.
 */

/** If that fails, or if the budget has to judge the answer, the budget notifies the item. */
export async function notifyItem(
  deps: Needed,
  request: SubmitRequest,
  reference: ServiceReference,
  result: SubmitResult,
): Promise<SubmitAnswer> {
  if (request.job.launch ? !isAnswer(result) : result.type !== 'accepted') return result;
  try {
    if (request.job.launch) await launchItem(deps, request, reference, result);
    else await signalItem(deps, request, result);
    return { ...result, told: true };
  } catch (error) {
    log.warn('the item was not notified of its job; the budget will notify it', {
      error: String(error),
    });
    return result;
  }
}

async function signalItem(
  { temporal }: Needed,
  request: SubmitRequest,
  result: SubmitResult,
): Promise<void> {
  const { item, run } = request;
  // To the run that requested it: the next run with this id waits for its own answer.
  const handle = temporal.workflow.getHandle(item, run);
  if (await isReached(handle.signal(submittedSignal, submittedOf(request, result)))) return;
  // Cancelled or terminated meanwhile: the slot stays charged, and the answer is not needed.
  log.warn('the item that this submission was for has ended', { item });
}
