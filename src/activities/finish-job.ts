/**
 * Everything after the acceptance of a job in one activity: polls until it has ended, downloads its files in parallel,
 * and writes the end of the item. A workflow task between these steps would decide nothing, and costs more than the steps.
 *
 * "Not yet" of any step is a retry by the server. The results of earlier steps are kept with the heartbeat, so that the
 * next attempt continues there; without it (the worker was killed), it starts again, which is harmless.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { LOST_AFTER_MS, SUCCEEDED, type Attempt, type JobPolicy } from '../domain/campaign.ts';
import {
  type ItemEndCode,
  explainStuckJob,
  isMachineFailure,
  shouldReplaceJob,
} from '../domain/item-ends.ts';
import { NO_TIMING, type ArtefactName, type PollOutcome, type Timing } from '../domain/outcomes.ts';
import { computeGrowingDelay } from '../domain/limits.ts';
import { formatDuration, formatNonZeroDuration } from '../domain/units.ts';
import type { ServiceClient } from '../services/client.ts';
import { pollDelay, WAITED_HERE_MS } from '../services/polling.ts';
import { isOwnService } from '../services/registry.ts';
import type {
  FetchResult,
  ItemConclusion,
  KeptFile,
  JobFinish,
  RemoteJob,
  SubmittedJob,
} from '../workflows/activity-types.ts';
import { conclude } from './conclude.ts';
import type { Dependencies, KnownService } from './dependencies.ts';
import { openHeldTree } from './leases.ts';
import { fetchArtefact, keepFailed } from './download.ts';
import {
  giveBack,
  giveUp,
  JobStage,
  noteAcceptanceOnce,
  requireService,
  wasGivenBack,
  type FailedJob,
  type Finishing,
  type FinishedJob,
} from './item-job.ts';
import {
  computeRetryDelay,
  createHindered,
  createNotYet,
  runWithHeartbeat,
  storeFailure,
} from './retry.ts';

/**
 * A third of its heartbeat time-out (src/workflows/activity-options.ts). Most jobs need a few seconds from their first
 * poll to their end, and each heartbeat costs the server as much as a poll costs us.
 */
const BEAT_INTERVAL_MS = 3_000;
/** In a lane. */
const LANE_BEAT_INTERVAL_MS = 1_000;

export function finishJob(
  deps: Dependencies,
  job: RemoteJob,
  policy: JobPolicy,
  submitted: SubmittedJob,
  former: string | null,
): Promise<JobFinish> {
  const stage = new JobStage(Context.current());
  const finish = async (): Promise<JobFinish> => {
    try {
      return await pollAndEnd(deps, { job, policy, submitted, former, stage });
    } catch (error) {
      stage.leaveToNextAttempt();
      throw error;
    }
  };
  const everyMs = job.givesBack ? LANE_BEAT_INTERVAL_MS : BEAT_INTERVAL_MS;
  return runWithHeartbeat(() => stage.beat(), finish, everyMs);
}

async function pollAndEnd(deps: Dependencies, finishing: Finishing): Promise<JobFinish> {
  const { job, stage } = finishing;
  if (job.givesBack && (await wasGivenBack(deps, job))) return { type: 'givenUp' };
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
  const { former, job } = finishing;
  if (job.givesBack && isMachineFailure(code, message))
    return giveUpJob(deps, finishing, { code, message }, null);
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

/**
 * Its row requests another job, which begins the item again.
 *
 * @param files what was fetched of it; null: another lane is to do it
 */
async function giveUpJob(
  deps: Dependencies,
  { job, submitted }: Finishing,
  { code, message }: { readonly code: string; readonly message: string },
  files: readonly KeptFile[] | null,
): Promise<JobFinish> {
  const attempt: Attempt = {
    at: new Date().toISOString(),
    outcome: 'given-up',
    message: `${code}: ${message}`,
    remoteId: job.remoteId,
  };
  const attempts = [...submitted.attempts, attempt];
  if (files === null) await giveBack(deps, job, attempts, { state: 'failed', code, message });
  else await giveUp(deps, job, files, attempts);
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
  // All of them are waited for: what the others have fetched is kept. The next attempt meets what is left.
  const failed = downloads.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
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

/** The timing from the log of a job, and from its status while it ran. */
function withQueuedAt(timing: Timing | null, queuedAt: string | null): Timing | null {
  if (queuedAt === null) return timing;
  return { ...(timing ?? NO_TIMING), queuedAt: timing?.queuedAt ?? queuedAt };
}

/** All delays between the polls of one call together (ms). */
const MAX_WAITED_MS = 5_000;
/** Added to each delay (ms): a poll that is slightly too early costs the service's whole Retry-After. */
const SLACK_MS = 50;
/** Regardless of the pauses between them: there may have been no worker. */
const MIN_DENIALS = 4;
const MAX_DENIAL_INTERVAL_MS = 60_000;

/** The job may be polled again after this time (ms). */
interface Later {
  readonly type: 'later';
  readonly message: string;
  readonly delayMs: number;
  /** The service refuses us. */
  readonly isHindered: boolean;
}

type Unavailable = Extract<PollOutcome, { readonly type: 'unavailable' }>;
type Lost = Extract<PollOutcome, { readonly type: 'unknown' | 'deleted' }>;

/** Polls a job until it has ended. "Not yet" is thrown; short delays are waited for here. */
export async function poll(
  deps: Dependencies,
  finishing: Finishing,
): Promise<FinishedJob | FailedJob> {
  const { job, former, submitted, stage } = finishing;
  const { cancellationSignal: signal } = Context.current();
  const service = requireService(deps, job.reference);
  if (!isOwnService(job.reference.service)) await checkTree(deps, job);
  await noteAcceptanceOnce(deps, finishing);
  // Another job, adopted or from before `retry` or an earlier run, may have ended long ago.
  const isNew = submitted.answeredAt !== undefined && former === null;
  if (stage.attempt === 1 && isNew) await waitUntilLikely(deps, finishing);
  for (let waitedMs = 0; ;) {
    const answer = await pollOnce(service, finishing);
    if (answer.type !== 'later') return answer;
    const { delayMs, message } = answer;
    waitedMs += delayMs;
    if (delayMs > WAITED_HERE_MS || waitedMs > MAX_WAITED_MS)
      throw answer.isHindered ? createHindered(message, delayMs) : createNotYet(message, delayMs);
    await delay(delayMs, undefined, { signal });
  }
}

/** The answers are read by a plugin: by that of the campaign. */
async function checkTree(deps: Dependencies, { item }: RemoteJob): Promise<void> {
  try {
    await openHeldTree(deps, item);
  } catch (error) {
    throw storeFailure(error);
  }
}

/** A job is first polled when others like it had ended. */
async function waitUntilLikely(
  { jobsSeen }: Dependencies,
  { job, stage }: Finishing,
): Promise<void> {
  const leftMs = jobsSeen.likelyMs(job) - stage.ageMs();
  if (leftMs > WAITED_HERE_MS) throw createNotYet('too early to poll', leftMs + SLACK_MS);
  const { cancellationSignal: signal } = Context.current();
  if (leftMs > 0) await delay(leftMs + SLACK_MS, undefined, { signal });
}

async function pollOnce(
  { client, pace }: KnownService,
  finishing: Finishing,
): Promise<FinishedJob | FailedJob | Later> {
  const { job, policy, stage } = finishing;
  const { cancellationSignal: signal } = Context.current();
  const outcome = await client.poll(job.remoteId, { signal });
  const ageMs = stage.ageMs();
  const queuedAt = stage.left.seen?.queuedAt;
  switch (outcome.type) {
    case 'finished':
      // The result itself has no timing block, and the log does not say when the job was queued (contract 2.5, 2.6).
      return {
        type: 'finished',
        artefacts: client.artefacts(job.item.kind),
        queuedAt: queuedAt ?? null,
      };
    case 'failed':
      return createFailedJob('JOB_FAILED', outcome.message, outcome.timing);
    case 'unknown':
      return waitOutDenial(client, outcome, computeDenialTimeoutMs(finishing), stage);
    case 'deleted':
      return createFailedJob('JOB_LOST', outcome.message);
    case 'postponed': {
      const { message, delayMs, refusesUs: isHindered = false } = outcome;
      return { type: 'later', message, delayMs, isHindered };
    }
    case 'running': {
      const { timing, statusMessage, retryAfterMs } = outcome;
      const stuck = explainStuckJob(ageMs, policy.deadlineMs, timing);
      if (stuck) return createFailedJob(stuck.code, stuck.message, timing);
      // The service knows it: an earlier 404 was wrong.
      const since = timing?.queuedAt ?? queuedAt;
      stage.keepSeen({ isKnown: true, ...(since !== undefined && { queuedAt: since }) });
      const delayMs = pollDelay(ageMs, retryAfterMs, pace);
      return { type: 'later', message: statusMessage ?? 'running', delayMs, isHindered: false };
    }
    case 'unavailable':
      return waitOutOutage(outcome, ageMs, policy, stage);
  }
}

function createFailedJob(
  code: ItemEndCode,
  message: string,
  timing: Timing | null = null,
): FailedJob {
  return { type: 'failed', code, message, timing };
}

/**
 * Nothing is known about the job: the outage is waited for, within the same deadline. If other jobs are answered
 * meanwhile, it is no outage, and the job waits for as long as after a 404.
 */
function waitOutOutage(
  { message, retryAfterMs, unreadable = false, othersWell = false }: Unavailable,
  ageMs: number,
  { deadlineMs, lostAfterMs = LOST_AFTER_MS }: JobPolicy,
  stage: JobStage,
): FailedJob {
  // A service that wants a pause has not looked at the job.
  if (othersWell && retryAfterMs === null) {
    const { forMs, times } = countDenial(stage, 'unavailable');
    if (forMs >= lostAfterMs && times >= MIN_DENIALS) {
      const words = `the service answers for other jobs, and not for this one: ${message}`;
      return createFailedJob(
        'JOB_UNREADABLE',
        `${words} (asked ${times} times in ${formatDuration(forMs)})`,
      );
    }
  }
  const stuck = explainStuckJob(ageMs, deadlineMs, null);
  if (stuck && unreadable) {
    const words = `${stuck.message}, and what the service says of it cannot be read: ${message}`;
    return createFailedJob('JOB_UNREADABLE', words);
  }
  if (stuck) return createFailedJob(stuck.code, stuck.message);
  throw createHindered(message, Math.max(computeRetryDelay(stage.attempt), retryAfterMs ?? 0));
}

/** Counts one more denial, and says for how long (ms) and how often there were only such. */
function countDenial(stage: JobStage, by: 'unknown' | 'unavailable') {
  const now = Date.now();
  const { seen = {} } = stage.left;
  const { since, times } = seen.denied?.by === by ? seen.denied : { since: now, times: 0 };
  stage.keepSeen({ ...seen, denied: { by, since, times: times + 1 } });
  return { forMs: now - since, times: times + 1 };
}

/**
 * The service does not know a job that it has accepted. A cache, a restart or one of several hosts behind the address
 * may cause that for a while, and a new job would have to be paid: it counts when it repeats for long enough while the
 * service works.
 */
async function waitOutDenial(
  client: ServiceClient,
  { message, retryAfterMs = 0 }: Lost,
  lostAfterMs: number,
  stage: JobStage,
): Promise<FailedJob> {
  const { forMs, times } = countDenial(stage, 'unknown');
  if (forMs >= lostAfterMs && times >= MIN_DENIALS) {
    const { cancellationSignal: signal } = Context.current();
    const { type } = await client.ping({ signal });
    if (type === 'well')
      return createFailedJob(
        'JOB_LOST',
        `${message} (asked ${times} times in ${formatDuration(forMs)})`,
      );
  }
  const grown = computeGrowingDelay({ first: 1_000, longest: MAX_DENIAL_INTERVAL_MS }, times);
  const until = formatNonZeroDuration(lostAfterMs - forMs);
  throw createHindered(
    `${message}: the service does not know this job; asked again for ${until}`,
    Math.max(Math.min(grown, lostAfterMs), retryAfterMs),
  );
}

/**
 * A 404 for the job from before `retry` is accepted after this time (ms) of a working service. A job that was just
 * accepted gets 15 minutes; here they have passed, because the user has seen its end and run `retry`.
 */
const FORMER_LOST_AFTER_MS = 5_000;

function computeDenialTimeoutMs({ policy, former, stage }: Finishing): number {
  const { lostAfterMs = LOST_AFTER_MS } = policy;
  const isUnseen = former !== null && stage.left.seen?.isKnown !== true;
  return isUnseen ? Math.min(lostAfterMs, FORMER_LOST_AFTER_MS) : lostAfterMs;
}
