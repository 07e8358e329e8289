/**
 * One row of a manifest, from waiting for a slot to files on disk:
 *
 *   wait for a slot ─▶ submitted (by the budget) ─▶ poll ─▶ fetch all files at once ─▶ conclude
 *
 * It outlives the run of the campaign that requested its slot, so its end is reported by a signal to the campaign's
 * workflow id (by `conclude`, so that it costs no workflow task here). It ends in exactly one final state, which is
 * on disk before the campaign is notified.
 */
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ItemEnd } from '../domain/campaign.ts';
import type { ItemEndCode } from '../domain/item-end-codes.ts';
import { conclude } from './activity-options.ts';
import { endSummary } from './details/summaries.ts';
import { Ended, explain } from './item-end.ts';
import { finishInOne } from './item-job.ts';
import { ItemProgress } from './item-progress.ts';
import { ItemSubmission } from './item-submission.ts';
import { askSignal, submittedSignal, withdrawSignal, type ItemInput } from './messages.ts';
import { budgetWorkflowId, itemWorkflowId } from './names.ts';

/** @throws what makes the Temporal UI show it as failed or cancelled, after the end is on disk */
export async function item(input: ItemInput): Promise<ItemEnd> {
  const progress = new ItemProgress(input);
  const submission = new ItemSubmission(progress);
  setHandler(submittedSignal, (submitted) => submission.answer(submitted));
  setHandler(askSignal, () => submission.askIfWaiting());
  const end = await path(progress, submission);
  // Also after a cancellation: every item has its end on disk.
  const written = await CancellationScope.nonCancellable(() => finish(progress, end));
  showEnd(written);
  return written;
}

/** The end is on disk: this is only what status, colour and the tab Failures of the Temporal UI say. */
function showEnd({ state, code, message }: ItemEnd): void {
  const words = message ?? state;
  if (state === 'failed' || state === 'held')
    throw ApplicationFailure.create({ type: code ?? state, message: words, nonRetryable: true });
  if (state === 'cancelled' && CancellationScope.current().consideredCancelled)
    throw new CancelledFailure(words);
}

async function path(progress: ItemProgress, submission: ItemSubmission): Promise<ItemEnd> {
  try {
    const { formerEnd, adopted } = progress.input;
    for (let former = adopted ? undefined : formerEnd; ; former = undefined) {
      const end = await finishInOne(await submission.submit(), progress, former);
      if (end !== null) return end;
      submission.giveUpFormer();
    }
  } catch (error) {
    if (error instanceof Ended) return error.end;
    if (isCancellation(error) || CancellationScope.current().consideredCancelled)
      return cancelled(progress.input);
    // A row may fail for an unexpected reason, but it must not be lost.
    return { state: 'failed', ...explain(error) };
  }
}

async function cancelled({ campaign, id, reference }: ItemInput): Promise<ItemEnd> {
  await CancellationScope.nonCancellable(async () => {
    const keeper = getExternalWorkflowHandle(budgetWorkflowId(reference));
    try {
      const run = workflowInfo().runId;
      await keeper.signal(withdrawSignal, { item: itemWorkflowId(campaign, id), run });
    } catch (error) {
      log.warn('no budget workflow to withdraw from', { error: String(error) });
    }
  });
  const code = 'CANCELLED' satisfies ItemEndCode;
  return { state: 'cancelled', code, message: 'cancelled before it had ended' };
}

async function finish(progress: ItemProgress, end: ItemEnd): Promise<ItemEnd> {
  const { attempts, files, remoteId, submittedAt, posted, timing, engine, input } = progress;
  if (progress.written) {
    progress.show(end.state, end);
    return end;
  }
  const conclusion = {
    item: progress.address(),
    reference: input.reference,
    end,
    remoteId,
    attempts,
    files,
    submittedAt,
    finishedAt: new Date().toISOString(),
    timing,
    ...(remoteId !== null && posted),
    ...(engine !== undefined && { engine }),
  };
  const options = { summary: endSummary(end) };
  const written = await conclude.executeWithOptions(options, [conclusion]);
  progress.show(written.state, written);
  return written;
}
