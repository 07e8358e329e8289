/**
 * The job that an item had before `retry` opened it again. It was paid for, so it is asked for first; another one is
 * submitted only when this one is of no use.
 */
import { LOST_AFTER_MS, type JobPolicy } from '../domain/campaign.ts';
import { giveUp } from './activity-options.ts';
import { summary } from './details/summaries.ts';
import { Ended } from './item-end.ts';
import { ask, takeResult } from './item-job.ts';
import type { ItemProgress } from './item-progress.ts';
import type { PollPolicy, RemoteJob } from './verbs.ts';

/**
 * A 404 for it is believed after so long (ms), while the service is well. The 15 minutes of a job that was just accepted
 * have passed: somebody has looked at its end, and has typed `retry`.
 */
const FORMER_LOST_AFTER_MS = 5_000;

/** Ends after which a job brings nothing any more, whatever it had brought before. */
const OF_NO_USE: readonly string[] = ['JOB_FAILED', 'JOB_LOST', 'JOB_STUCK', 'RESULT_ABSENT'];

/** The result of another job of the same input would be as large. */
const OF_EVERY_JOB: readonly string[] = ['RESULT_TOO_LARGE'];

/** @param before what the job had brought when its item was opened again */
export function isOfNoUse(code: string | null, before: string): boolean {
  if (code === null || OF_EVERY_JOB.includes(code)) return false;
  return OF_NO_USE.includes(code) || (code === before && /^(JOB|RESULT)_/.test(code));
}

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
    const first = await ask(job, firstQuestion(policy));
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
