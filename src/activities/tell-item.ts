/**
 * Tells an item of the job that its submission has made, in the activity that has sent it: a signal by the budget's
 * workflow costs the server two transactions more, and the item waits for the budget's next task.
 */
import { log } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { submittedOf } from '../workflows/fates.ts';
import { submittedSignal } from '../workflows/messages.ts';
import type { SubmitAnswer, SubmitRequest, SubmitResult } from '../workflows/verbs.ts';
import type { Dependencies } from './dependencies.ts';

/** Where it cannot be told here, and of all other answers, the budget tells it. */
export async function tellItem(
  { temporal }: Pick<Dependencies, 'temporal'>,
  { item, run, ...request }: SubmitRequest,
  result: SubmitResult,
): Promise<SubmitAnswer> {
  if (result.type !== 'accepted') return result;
  try {
    // To the run that asked: the next one of this id waits for an answer of its own.
    const handle = temporal.workflow.getHandle(item, run);
    await handle.signal(submittedSignal, submittedOf(request, result));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) {
      log.warn('the item was not told of its job; the budget tells it', { error: String(error) });
      return result;
    }
    // Cancelled or ended by hand meanwhile: the slot stays charged, nobody waits for the answer.
    log.warn('the item that this submission was for has ended', { item });
  }
  return { ...result, told: true };
}
