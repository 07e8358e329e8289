/**
 * Everything after the acceptance of a job in one activity: polls until it has ended, downloads its files in parallel,
 * and writes the end of the item. A workflow task between these steps would decide nothing, and costs more than the steps.
 *
 * "Not yet" of any step is a retry by the server. The results of earlier steps are kept with the heartbeat, so that the
 * next attempt continues there; without it (the worker was killed), it starts again, which is harmless.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { SUCCEEDED, type JobPolicy } from '../domain/campaign.ts';
import { isOfNoUse } from '../domain/of-no-use.ts';
import { NO_TIMING, type ArtefactName, type Timing } from '../domain/outcomes.ts';
import type {
  FetchResult,
  JobFinish,
  RemoteJob,
  SubmittedJob,
} from '../workflows/activity-types.ts';
import { beatingWith } from './beat.ts';
import { conclude } from './conclude.ts';
import type { Dependencies } from './dependencies.ts';
import { fetchArtefact } from './fetch.ts';
import { JobStage, type FinishedJob } from './job-stage.ts';
import { poll } from './poll.ts';
import { storeFailure } from './retry.ts';

/**
 * A third of its heartbeat time-out (src/workflows/activity-options.ts). Most jobs need a few seconds from their first
 * poll to their end, and each heartbeat costs the server as much as a poll costs us.
 */
const BEAT_EVERY_MS = 3_000;

export function finishJob(
  deps: Dependencies,
  job: RemoteJob,
  policy: JobPolicy,
  submitted: SubmittedJob,
  former?: string,
): Promise<JobFinish> {
  const stage = new JobStage(Context.current(), deps.serverClock);
  return beatingWith(
    () => stage.beat(),
    async () => {
      try {
        return await finish(deps, stage, { job, policy, submitted, former });
      } catch (error) {
        stage.leaveToNextAttempt();
        throw error;
      }
    },
    BEAT_EVERY_MS,
  );
}

interface Accepted {
  readonly job: RemoteJob;
  readonly policy: JobPolicy;
  readonly submitted: SubmittedJob;
  /** How it had ended before `retry`. */
  readonly former: string | undefined;
}

async function finish(
  deps: Dependencies,
  stage: JobStage,
  { job, policy, submitted, former }: Accepted,
): Promise<JobFinish> {
  let { finished } = stage;
  if (finished === undefined) {
    const polling = { ...policy, ...(former !== undefined && { isFormer: true as const }) };
    const result = await poll(deps, job, polling, stage.pollTries());
    if (result.type === 'failed') return result;
    finished = stage.finish(result);
  }
  const { campaign, id } = job.item;
  deps.ends.downloading(campaign, id);
  try {
    const fetched = await fetchAll(deps, { job, policy, stage, finished });
    return await end(deps, { job, submitted, former, finished, fetched });
  } finally {
    deps.ends.downloaded(campaign, id);
  }
}

interface Downloads extends Pick<Accepted, 'job' | 'policy'> {
  readonly stage: JobStage;
  readonly finished: FinishedJob;
}

/** Immediately and in parallel: the service deletes results, and each file is checked separately. */
async function fetchAll(
  deps: Dependencies,
  { job, policy, stage, finished }: Downloads,
): Promise<FetchResult[]> {
  const downloads = await Promise.allSettled(
    finished.artefacts.map((artefact) => fetchOnce(deps, artefact, { job, policy, stage })),
  );
  const failures = downloads.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as unknown] : [],
  );
  if (failures.length > 0) throw lastOf(failures);
  return downloads.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

async function fetchOnce(
  deps: Dependencies,
  artefact: ArtefactName,
  { job, policy, stage }: Omit<Downloads, 'finished'>,
): Promise<FetchResult> {
  const before = stage.fetched(artefact);
  if (before) return before;
  const result = await fetchArtefact(deps, job, artefact, policy, stage.fetchTries(artefact));
  stage.keep(artefact, result);
  return result;
}

/** A failure that ends the item, else the one with the latest retry: the item waits for all its files. */
function lastOf(failures: readonly unknown[]): unknown {
  const delayOf = (failure: unknown): number => {
    if (!(failure instanceof ApplicationFailure)) return 0;
    if (failure.nonRetryable === true) return Number.POSITIVE_INFINITY;
    return Number(failure.nextRetryDelay ?? 0);
  };
  return failures.reduce((last, one) => (delayOf(one) > delayOf(last) ? one : last));
}

interface Brought extends Omit<Accepted, 'policy'> {
  readonly finished: FinishedJob;
  readonly fetched: readonly FetchResult[];
}

async function end(
  deps: Dependencies,
  { job, submitted, former, finished, fetched }: Brought,
): Promise<JobFinish> {
  const problem = fetched.find((one) => one.problem !== null)?.problem ?? null;
  const files = fetched.flatMap((one) => one.files);
  const timing = withQueuedAt(
    fetched.find((one) => one.timing !== null)?.timing ?? null,
    finished.queuedAt,
  );
  if (problem !== null && former !== undefined && isOfNoUse(problem.code, former))
    return { type: 'failed', ...problem, timing, files };
  const engine = fetched.find((one) => one.engine !== undefined)?.engine;
  const { item, reference, remoteId } = job;
  const brought = { files, timing, ...(engine !== undefined && { engine }) };
  try {
    const written = await conclude(deps, {
      item,
      reference,
      remoteId,
      ...submitted,
      ...brought,
      end: problem === null ? SUCCEEDED : { state: 'failed', ...problem },
      finishedAt: new Date().toISOString(),
    });
    return { type: 'ended', end: written, ...brought };
  } catch (error) {
    throw storeFailure(error);
  }
}

/** The timing from the log of a job, and from its status while it ran. */
function withQueuedAt(timing: Timing | null, queuedAt: string | undefined): Timing | null {
  if (queuedAt === undefined) return timing;
  return { ...(timing ?? NO_TIMING), queuedAt: timing?.queuedAt ?? queuedAt };
}
