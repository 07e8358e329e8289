/**
 * Starts the workflow of an item with the answer to its submission, in the activity that has the answer: until then the
 * item waits in the budget's queue, at no cost for the server.
 *
 * Rejected: a start by the campaign after the grant, which delays the job by two workflow tasks; a start delay,
 * from which a signal does not wake a workflow; standalone activities, which have no state, attempts or files to
 * show.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { pickShare } from '../budget/queue.ts';
import type { SubmitResult } from '../budget/state.ts';
import type { Attempt, ItemEnd, ServiceReference } from '../domain/campaign.ts';
import type { PostTimes } from '../domain/outcomes.ts';
import { buildItemStart } from '../workflows/names.ts';
import type { EndBegin, ItemInput, JobBegin } from '../workflows/messages.ts';
import type { SettledResult, SubmitRequest } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';

/** An item begins with it. */
export function isSettled(result: SubmitResult): result is SettledResult {
  return ['accepted', 'over', 'unable'].includes(result.type);
}

export async function startItem(
  { starter, taskQueue }: Pick<Dependencies, 'starter' | 'taskQueue'>,
  request: SubmitRequest,
  reference: ServiceReference,
  answer: SettledResult,
): Promise<void> {
  const { item, campaign, job } = request;
  const { id, kind, generation, store, tree, launch } = job;
  const begin = beginWith(request, answer);
  const address = { id, kind, generation, campaign, store, tree };
  const input = { ...address, reference, ...pickShare(request), ...launch, begin };
  try {
    await starter.workflow.start('item', {
      requestEagerStart: true,
      workflowId: item,
      taskQueue,
      args: [input] satisfies [ItemInput],
      ...buildItemStart(input),
    });
  } catch (error) {
    // By an earlier attempt of this activity, or by a campaign of this name that was terminated: it has this job, because
    // no other one was sent.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** How an item begins whose submission has ended so. */
function beginWith(request: SubmitRequest, result: SettledResult): JobBegin | EndBegin {
  const attempts = listAttempts(request);
  switch (result.type) {
    case 'accepted': {
      const { remoteId, found } = result;
      const posted = postTimes(result);
      return { type: 'job', how: found ? 'found' : 'accepted', remoteId, posted, attempts };
    }
    case 'over':
      return { type: 'end', end: result.end, attempts };
    case 'unable': {
      const { code, message } = result;
      // Nothing was sent; the code of the error says why.
      const end: ItemEnd = { state: 'failed', code, message };
      const at = new Date().toISOString();
      return { type: 'end', end, attempts: [...attempts, { at, outcome: 'unable', message }] };
    }
  }
}

/** The submissions of an item until now, in their order. */
function listAttempts({ turnedAway, attempts = [] }: SubmitRequest): Attempt[] {
  const away = turnedAway.map(({ at, reason, message }): Attempt => ({
    at: new Date(at).toISOString(),
    outcome: reason,
    message,
  }));
  return [...attempts, ...away].sort((one, other) => one.at.localeCompare(other.at));
}

/** Empty where the worker died before it reported them. */
function postTimes({ sentAt, answeredAt }: Partial<PostTimes>): Partial<PostTimes> {
  return {
    ...(sentAt !== undefined && { sentAt }),
    ...(answeredAt !== undefined && { answeredAt }),
  };
}
