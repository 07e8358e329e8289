/** The job of an item at the service: polled until it has ended, then its files are fetched and its end is written. */
import { log } from '@temporalio/workflow';
import type { ItemEnd } from '../domain/campaign.ts';
import { isOfNoUse } from '../domain/of-no-use.ts';
import { finishJob, giveUp, keepFailed, withToken } from './activity-options.ts';
import type { FailedJob, RemoteJob } from './activity-types.ts';
import { summary } from './details/summaries.ts';
import { Ended } from './item-end.ts';
import type { ItemProgress } from './item-progress.ts';

/**
 * @param former how the job had ended before `retry`
 * @returns null if that job was given up, and another one may be submitted
 * @throws Ended when the job has failed
 */
export async function finishInOne(
  job: RemoteJob,
  progress: ItemProgress,
  former?: string,
): Promise<ItemEnd | null> {
  const { input, attempts, submittedAt, posted } = progress;
  const words = summary(`job ${job.remoteId}: wait for it, download, write the end`);
  const result = await finishJob.executeWithOptions(withToken(words, input), [
    job,
    input.policy,
    { attempts, submittedAt, ...posted },
    ...(former === undefined ? ([] as const) : ([former] as const)),
  ]);
  if (result.type === 'ended') {
    progress.finished(result);
    return result.end;
  }
  if (former !== undefined && isOfNoUse(result.code, former)) {
    await leave(job, progress, result);
    return null;
  }
  progress.timing = result.timing;
  await keepLog(job, result, progress);
  throw Ended.ofJob(result);
}

/** Its failure is certain: if its log cannot be fetched, also because of a cancellation, the end stays the same. */
async function keepLog(job: RemoteJob, { code }: FailedJob, progress: ItemProgress): Promise<void> {
  if (code === 'JOB_LOST') return;
  try {
    const options = withToken('download its log', progress.input);
    progress.keep(await keepFailed.executeWithOptions(options, [job]));
  } catch (error) {
    log.warn('what the service has of a failed job was not kept', { error: String(error) });
  }
}

async function leave(
  job: RemoteJob,
  progress: ItemProgress,
  { code, message, files = [] }: FailedJob,
): Promise<void> {
  const options = { summary: summary(`give up job ${job.remoteId}: ${code}`) };
  await giveUp.executeWithOptions(options, [job, files]);
  progress.givenUp(`${code}: ${message}`);
}
