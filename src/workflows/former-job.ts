/**
 * The job that an item had before `retry` reopened it. It was paid for, so it is polled first; another one is submitted
 * only if this one cannot be used.
 */
import { LOST_AFTER_MS, type JobPolicy } from '../domain/campaign.ts';
import { isOfNoUse } from '../domain/of-no-use.ts';
import { giveUp } from './activity-options.ts';
import { summary } from './details/summaries.ts';
import { Ended } from './item-end.ts';
import { ask, takeResult } from './item-job.ts';
import type { ItemProgress } from './item-progress.ts';
import type { PollPolicy, RemoteJob } from './activity-types.ts';

/**
 * A 404 for it is accepted after this time (ms) of a working service. A job that was just accepted gets 15 minutes; here
 * they have passed, because the user has seen its end and run `retry`.
 */
const FORMER_LOST_AFTER_MS = 5_000;

/**
 * @returns whether it is the item's job; false: it was given up, and another one may be submitted
 * @throws Ended as `takeResult`
 */
export async function takeFormerResult(
  job: RemoteJob,
  progress: ItemProgress,
  before: string,
): Promise<boolean> {
  const { policy } = progress.input;
  try {
    const first = await ask(job, firstQuestion(policy), progress);
    await takeResult(job, progress, { first, isFollowed: (code) => isOfNoUse(code, before) });
    return true;
  } catch (error) {
    if (!(error instanceof Ended) || !isOfNoUse(error.end.code, before)) throw error;
    await leave(job, progress, error.end);
    return false;
  }
}

function firstQuestion({ lostAfterMs = LOST_AFTER_MS, ...policy }: JobPolicy): PollPolicy {
  return { ...policy, lostAfterMs: Math.min(lostAfterMs, FORMER_LOST_AFTER_MS), once: true };
}

async function leave(
  job: RemoteJob,
  progress: ItemProgress,
  { code, message }: Ended['end'],
): Promise<void> {
  const options = { summary: summary(`give up job ${job.remoteId}: ${code}`) };
  await giveUp.executeWithOptions(options, [job, progress.files]);
  progress.givenUp(`${code}: ${message}`);
}
