/**
 * Everything after the acceptance of a job in one activity: polls until it has ended, downloads its files in parallel,
 * and writes the end of the item. A workflow task between these steps would decide nothing, and costs more than the steps.
 *
 * "Not yet" of any step is a retry by the server. The results of earlier steps are kept with the heartbeat, so that the
 * next attempt continues there; without it (the worker was killed), it starts again, which is harmless.
 */
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { SUCCEEDED, type Attempt, type JobPolicy } from '../domain/campaign.ts';
import { shouldReplaceJob } from '../domain/item-ends.ts';
import { NO_TIMING, type ArtefactName, type Timing } from '../domain/outcomes.ts';
import type {
  FetchResult,
  ItemConclusion,
  KeptFile,
  JobFinish,
  RemoteJob,
  SubmittedJob,
} from '../workflows/activity-types.ts';
import { conclude } from './conclude.ts';
import type { Dependencies } from './dependencies.ts';
import { fetchArtefact, keepFailed } from './download.ts';
import { giveUp } from './item-job.ts';
import { JobStage, type FailedJob, type Finishing, type FinishedJob } from './job-stage.ts';
import { poll } from './poll.ts';
import { runWithHeartbeat, storeFailure } from './retry.ts';

/**
 * A third of its heartbeat time-out (src/workflows/activity-options.ts). Most jobs need a few seconds from their first
 * poll to their end, and each heartbeat costs the server as much as a poll costs us.
 */
const BEAT_INTERVAL_MS = 3_000;

export function finishJob(
  deps: Dependencies,
  job: RemoteJob,
  policy: JobPolicy,
  submitted: SubmittedJob,
  former: string | null,
): Promise<JobFinish> {
  const stage = new JobStage(Context.current(), deps.serverClock);
  const finish = async (): Promise<JobFinish> => {
    try {
      return await pollAndEnd(deps, { job, policy, submitted, former, stage });
    } catch (error) {
      stage.leaveToNextAttempt();
      throw error;
    }
  };
  return runWithHeartbeat(() => stage.beat(), finish, BEAT_INTERVAL_MS);
}

async function pollAndEnd(deps: Dependencies, finishing: Finishing): Promise<JobFinish> {
  const { stage } = finishing;
  const polled = stage.left.polled ?? stage.keepPolled(await poll(deps, finishing));
  if (polled.type === 'failed') return endFailed(deps, finishing, polled);
  return endFinished(deps, finishing, polled);
}

/** Its failure is certain: what the service has of it explains it, and is no result. */
async function endFailed(
  deps: Dependencies,
  finishing: Finishing,
  { code, message, timing }: FailedJob,
): Promise<JobFinish> {
  const { former } = finishing;
  if (former !== null && shouldReplaceJob(code, former))
    return giveUpJob(deps, finishing, { code, message }, []);
  const kept = code === 'JOB_LOST' ? null : await keepFailed(deps, finishing);
  // A job that may be good, and whose state nobody can read, is the user's decision: another one would be paid for.
  const state = code === 'JOB_UNREADABLE' ? 'held' : 'failed';
  return writeEnd(deps, finishing, {
    end: { state, code, message },
    files: kept?.files ?? [],
    timing: timing ?? kept?.timing ?? null,
    engine: kept?.engine ?? null,
  });
}

async function endFinished(
  deps: Dependencies,
  finishing: Finishing,
  { artefacts, queuedAt }: FinishedJob,
): Promise<JobFinish> {
  const { former } = finishing;
  const fetched = await fetchAll(deps, finishing, artefacts);
  const problem = fetched.find((one) => one.problem !== null)?.problem ?? null;
  const files = fetched.flatMap((one) => one.files);
  if (problem !== null && former !== null && shouldReplaceJob(problem.code, former))
    return giveUpJob(deps, finishing, problem, files);
  const logged = fetched.find((one) => one.timing !== null)?.timing ?? null;
  return writeEnd(deps, finishing, {
    end: problem === null ? SUCCEEDED : { state: 'failed', ...problem },
    files,
    timing: withQueuedAt(logged, queuedAt),
    engine: fetched.find((one) => one.engine !== null)?.engine ?? null,
  });
}

/** Its row requests another job, which begins the item again. */
async function giveUpJob(
  deps: Dependencies,
  { job, submitted }: Finishing,
  { code, message }: { readonly code: string; readonly message: string },
  files: readonly KeptFile[],
): Promise<JobFinish> {
  const attempt: Attempt = {
    at: new Date().toISOString(),
    outcome: 'given-up',
    message: `${code}: ${message}`,
    remoteId: job.remoteId,
  };
  await giveUp(deps, job, files, [...submitted.attempts, attempt]);
  return { type: 'givenUp' };
}

async function writeEnd(
  deps: Dependencies,
  { job, submitted }: Finishing,
  ended: Pick<ItemConclusion, 'end' | 'files' | 'timing' | 'engine'>,
): Promise<JobFinish> {
  const finishedAt = new Date().toISOString();
  try {
    const end = await conclude(deps, { ...job, ...submitted, ...ended, finishedAt });
    return { type: 'ended', end };
  } catch (error) {
    throw storeFailure(error);
  }
}

/** Immediately and in parallel: the service deletes results, and each file is checked separately. */
async function fetchAll(
  deps: Dependencies,
  finishing: Finishing,
  artefacts: readonly ArtefactName[],
): Promise<FetchResult[]> {
  const downloads = await Promise.allSettled(
    artefacts.map((artefact) => fetchOnce(deps, finishing, artefact)),
  );
  const failures = downloads.flatMap((one) =>
    one.status === 'rejected' ? [one.reason as unknown] : [],
  );
  if (failures.length > 0) throw chooseLastFailure(failures);
  return downloads.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

async function fetchOnce(
  deps: Dependencies,
  finishing: Finishing,
  artefact: ArtefactName,
): Promise<FetchResult> {
  const { stage } = finishing;
  const before = stage.left.fetched?.[artefact];
  if (before) return before;
  const result = await fetchArtefact(deps, finishing, artefact);
  stage.keepFetched(artefact, result);
  return result;
}

/** A failure that ends the item, else the one with the latest retry: the item waits for all its files. */
function chooseLastFailure(failures: readonly unknown[]): unknown {
  const delayOf = (failure: unknown): number => {
    if (!(failure instanceof ApplicationFailure)) return 0;
    if (failure.nonRetryable === true) return Number.POSITIVE_INFINITY;
    return Number(failure.nextRetryDelay ?? 0);
  };
  return failures.reduce((last, one) => (delayOf(one) > delayOf(last) ? one : last));
}

/** The timing from the log of a job, and from its status while it ran. */
function withQueuedAt(timing: Timing | null, queuedAt: string | null): Timing | null {
  if (queuedAt === null) return timing;
  return { ...(timing ?? NO_TIMING), queuedAt: timing?.queuedAt ?? queuedAt };
}
