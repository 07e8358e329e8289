/**
 * Starts the workflow of an item with the answer to its submission, in the activity that has sent it: until then the item
 * waits in the budget's queue, at no cost for the server.
 *
 * Rejected: a start by the campaign after the grant, which delays the job by two workflow tasks; a start delay,
 * from which a signal does not wake a workflow; standalone activities, which have no state, attempts or files to
 * show.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { standingIn } from '../budget/use.ts';
import type { ItemLaunch, ServiceReference } from '../domain/campaign.ts';
import type { Kind } from '../domain/item.ts';
import { submittedOf } from '../workflows/fates.ts';
import { itemStart } from '../workflows/item-start.ts';
import { submittedSignal, type ItemInput, type Submitted } from '../workflows/messages.ts';
import { inTurns } from '../workflows/turns.ts';
import type { SubmitRequest, SubmitResult } from '../workflows/submit-types.ts';
import type { Dependencies } from './dependencies.ts';

type Needed = Pick<Dependencies, 'temporal' | 'starter' | 'taskQueue'>;

export async function launchItem(
  { temporal, starter, taskQueue }: Needed,
  request: SubmitRequest,
  reference: ServiceReference,
  answer: SubmitResult,
): Promise<void> {
  const { item, campaign, weight, job } = request;
  if (!job.launch) throw new Error(`the workflow of ${item} is already running`);
  const submitted = submittedOf(request, answer);
  const input = inputOf(request, job.launch, reference, submitted);
  const remoteId = answer.type === 'accepted' ? answer.remoteId : undefined;
  try {
    const client = starter ?? temporal;
    await client.workflow.start('item', {
      ...(starter && { requestEagerStart: true }),
      workflowId: item,
      taskQueue,
      args: [input] satisfies [ItemInput],
      ...itemStart(input, remoteId === undefined ? 'waiting' : 'running', remoteId),
      ...inTurns({ campaign, weight }),
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
  { service, address }: ServiceReference,
  submitted: Submitted,
): ItemInput {
  const { campaign, others, job, home, credential } = request;
  const { id, kind, generation, store, tree } = job;
  return {
    id,
    kind: kind as Kind,
    generation,
    campaign,
    store,
    // Of several credentials the one under which it waited: the answer contains the one it was sent with.
    reference: { service, address, credential: home ?? credential },
    ...standingIn(request),
    ...(tree !== undefined && { tree }),
    ...(others !== undefined && { others }),
    ...launch,
    finishInOne: true,
    submitted,
  };
}
