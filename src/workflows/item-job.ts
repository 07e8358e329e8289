/** The job of an item at the service: polled until it has ended, then its files are fetched; the one from before `retry` first. */
import { log } from '@temporalio/workflow';
import { LOST_AFTER_MS, type ItemEnd, type JobPolicy } from '../domain/campaign.ts';
import {
  fetchArtefact,
  finishJob,
  keepFailed,
  poll,
  withToken,
  giveUp,
} from './activity-options.ts';
import { summary } from './details/summaries.ts';
import { Ended } from './item-end.ts';
import type { ItemProgress } from './item-progress.ts';
import type { PollPolicy, PollResult, RemoteJob } from './activity-types.ts';
import { isOfNoUse } from '../domain/of-no-use.ts';

/** For a job that an earlier run had submitted. */
interface Asked {
  readonly first: PollResult;
  /** Whether another job follows one that ends with this code. */
  readonly isFollowed: (code: string) => boolean;
}

/** @throws Ended if the job has no good result */
async function takeResult(
  job: RemoteJob,
  progress: ItemProgress,
  { first, isFollowed }: Asked,
): Promise<void> {
  const { policy } = progress.input;
  const result = first.type === 'running' ? await ask(job, policy, progress) : first;
  if (result.type === 'running') throw new Error('a job was left while it runs');
  if (result.type === 'failed') {
    progress.timing = result.timing;
    if (!isFollowed(result.code)) await keepLog(job, result, progress);
    throw Ended.ofJob(result);
  }
  progress.queuedAt = result.queuedAt;
  await download(job, result, progress);
}

/**
 * The same in one activity, which also writes the end of the item.
 *
 * @throws Ended when the job has failed
 */
export async function finishInOne(job: RemoteJob, progress: ItemProgress): Promise<ItemEnd> {
  const { input, attempts, submittedAt, posted } = progress;
  const words = summary(`job ${job.remoteId}: wait for it, download, write the end`);
  const result = await finishJob.executeWithOptions(withToken(words, input), [
    job,
    input.policy,
    { attempts, submittedAt, ...posted },
  ]);
  if (result.type === 'ended') {
    progress.finished(result);
    return result.end;
  }
  progress.timing = result.timing;
  await keepLog(job, result, progress);
  throw Ended.ofJob(result);
}

/** Polls until the job has ended, or `once`. */
export function ask(
  job: RemoteJob,
  policy: PollPolicy,
  { input }: ItemProgress,
): Promise<PollResult> {
  const question = summary(`whether job ${job.remoteId} has ended`);
  return poll.executeWithOptions(withToken(question, input), [job, policy]);
}

/** Its failure is certain: if its log cannot be fetched, also because of a cancellation, the end stays the same. */
async function keepLog(
  job: RemoteJob,
  { code }: Extract<PollResult, { type: 'failed' }>,
  progress: ItemProgress,
): Promise<void> {
  if (code === 'JOB_LOST') return;
  try {
    const options = withToken('download its log', progress.input);
    progress.keep(await keepFailed.executeWithOptions(options, [job]));
  } catch (error) {
    log.warn('what the service has of a failed job was not kept', { error: String(error) });
  }
}

type Finished = Extract<PollResult, { readonly type: 'finished' }>;

/** Immediately and in parallel: the service deletes results, and each file is checked separately. */
async function download(
  job: RemoteJob,
  { artefacts }: Finished,
  progress: ItemProgress,
): Promise<void> {
  const fetched = await Promise.all(
    artefacts.map((artefact) =>
      fetchArtefact.executeWithOptions(withToken(`download its ${artefact}`, progress.input), [
        job,
        artefact,
        progress.input.policy,
      ]),
    ),
  );
  for (const one of fetched) progress.keep(one);
  const bad = fetched.find(({ problem }) => problem !== null)?.problem;
  if (bad) throw new Ended('failed', bad.code, bad.message);
}

/**
 * The job that an item had before `retry` reopened it. It was paid for, so it is polled first; another one is submitted
 * only if this one cannot be used.
 */

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
