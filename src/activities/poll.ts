/**
 * Polls a job. "Not yet" is thrown, so that the server retries later without an event; short delays are waited for here.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { LOST_AFTER_MS, type JobPolicy } from '../domain/campaign.ts';
import { formatDuration, formatNonZeroDuration } from '../domain/units.ts';
import { computeGrowingDelay } from '../domain/limits.ts';
import { type ItemEndCode, explainStuckJob } from '../domain/item-ends.ts';
import type { PollOutcome, Timing } from '../domain/outcomes.ts';
import type { ServiceClient } from '../services/client.ts';
import { pollDelay, WAITED_HERE_MS } from '../services/polling.ts';
import { isOwnService } from '../services/registry.ts';
import type { RemoteJob } from '../workflows/activity-types.ts';
import type { Dependencies, KnownService } from './dependencies.ts';
import { noteAcceptanceOnce, requireService } from './item-job.ts';
import type { FailedJob, FinishedJob, Finishing, JobStage } from './job-stage.ts';
import { computeRetryDelay, createHindered, createNotYet, storeFailure } from './retry.ts';
import { openHeldTree } from './leases.ts';

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

export async function poll(
  deps: Dependencies,
  finishing: Finishing,
): Promise<FinishedJob | FailedJob> {
  const { job, former, stage } = finishing;
  const { cancellationSignal: signal } = Context.current();
  const service = requireService(deps, job.reference);
  if (!isOwnService(job.reference.service)) await checkTree(deps, job);
  await noteAcceptanceOnce(deps, finishing);
  // A job from before `retry` may have ended long ago.
  if (stage.attempt === 1 && former === null) await waitUntilLikely(deps, finishing);
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
