/**
 * Notifies an item of its job, in the activity that submitted it: a signal by the budget's workflow costs the server
 * two transactions more, and the item waits for the budget's next task.
 */
import { log } from '@temporalio/activity';
import { isReached } from './if-found.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { isAnswer, submittedOf } from '../workflows/fates.ts';
import { submittedSignal } from '../workflows/messages.ts';
import type { SubmitAnswer, SubmitRequest, SubmitResult } from '../workflows/submit-types.ts';
import type { Dependencies } from './dependencies.ts';
import { launchItem } from './launch-item.ts';

type Needed = Pick<Dependencies, 'temporal' | 'starter' | 'taskQueue'>;

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
  { item, run, ...request }: SubmitRequest,
  result: SubmitResult,
): Promise<void> {
  // To the run that requested it: the next run with this id waits for its own answer.
  const handle = temporal.workflow.getHandle(item, run);
  if (await isReached(handle.signal(submittedSignal, submittedOf(request, result)))) return;
  // Cancelled or terminated meanwhile: the slot stays charged, and the answer is not needed.
  log.warn('the item that this submission was for has ended', { item });
}
