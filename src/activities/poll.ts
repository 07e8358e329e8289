/**
 * Polls a job. "Not yet" is thrown, so that the server retries later without an event; short delays are waited for here.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { LOST_AFTER_MS, type JobPolicy } from '../domain/campaign.ts';
import { formatDuration, formatNonZeroDuration } from '../domain/duration.ts';
import type { PollOutcome } from '../domain/outcomes.ts';
import { growingDelay } from '../domain/growing-delay.ts';
import { jobStuckBecause } from '../domain/stuck-job.ts';
import type { PollPolicy, PollResult, RemoteJob } from '../workflows/activity-types.ts';
import type { ServiceClient } from '../services/client.ts';
import { isOwnService } from '../services/registry.ts';
import { pollDelay, WAITED_HERE_MS } from '../services/polling.ts';
import type { Dependencies, KnownService } from './dependencies.ts';
import { noteAcceptanceOnce, type Owed } from './accepted-job.ts';
import { serviceOf } from './service.ts';
import { growing, hindered, notYet, storeFailure, type Tries } from './retry.ts';
import { openHeldTree } from './tree.ts';

/** All delays between the polls of one call together (ms). */
const WAITED_IN_ALL_MS = 5_000;
/**
 * Until the first poll (ms): another attempt costs the server as much as two heartbeats, and begins later when many jobs
 * end at once. Only for so many jobs at a time, so that other activities have places (temporal/workers.ts).
 */
const FIRST_WAIT_MS = 6_000;
const WAITING_AT_ONCE = 100;
/** Added to each delay (ms): a poll that is slightly too early costs the service's whole Retry-After. */
const SLACK_MS = 50;

async function untilItMayBeDone(
  deps: Dependencies,
  job: RemoteJob,
  tries: PollTries,
): Promise<void> {
  const { jobTimes } = deps;
  const likelyMs = jobTimes.likelyMs(job);
  if (likelyMs === null) return;
  const { cancellationSignal: signal } = Context.current();
  const waitMs = likelyMs + SLACK_MS - jobTimes.runningMs(job, tries.ageMs());
  const mostMs = jobTimes.waiting < WAITING_AT_ONCE ? FIRST_WAIT_MS : WAITED_HERE_MS;
  if (waitMs > mostMs) throw notYet('too early to poll', waitMs);
  if (waitMs <= 0) return;
  jobTimes.waiting += 1;
  await delay(waitMs, undefined, { signal }).finally(() => (jobTimes.waiting -= 1));
}

export async function poll(
  deps: Dependencies,
  job: RemoteJob,
  policy: PollPolicy,
  tries: PollTries,
): Promise<PollResult> {
  const { cancellationSignal: signal } = Context.current();
  const service = serviceOf(deps, job.reference);
  if (!isOwnService(job.reference.service)) await checkTree(deps, job);
  await noteAcceptanceOnce(deps, job, tries);
  // A job from before `retry` may have ended long ago.
  if (tries.attempt === 1 && !policy.isFormer) await untilItMayBeDone(deps, job, tries);
  let { left } = tries;
  for (let waitedMs = 0; ;) {
    const answer = await look(service, job, policy, { ...tries, left });
    if (!('delayMs' in answer)) return answer;
    const { delayMs, message } = answer;
    left = answer.seen;
    waitedMs += delayMs;
    if (delayMs > WAITED_HERE_MS || waitedMs > WAITED_IN_ALL_MS)
      throw answer.isHindered ? hindered(message, delayMs) : notYet(message, delayMs);
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

/** The job may be polled again after this time (ms). */
interface Later {
  readonly message: string;
  readonly delayMs: number;
  /** The service refuses us. */
  readonly isHindered?: boolean;
  /** For the next poll. */
  readonly seen: Seen | null;
}

async function look(
  { client, pace }: Pick<KnownService, 'client' | 'pace'>,
  job: RemoteJob,
  policy: PollPolicy,
  tries: PollTries,
): Promise<PollResult | Later> {
  const { cancellationSignal: signal } = Context.current();
  const outcome = await client.poll(job.remoteId, { signal });
  const ageMs = tries.ageMs();
  const seen: Seen = tries.left ?? {};
  switch (outcome.type) {
    case 'finished':
      // The result itself has no timing block, and the log does not say when the job was queued (contract 2.5, 2.6).
      return {
        type: 'finished',
        artefacts: client.artefacts(job.item.kind),
        ...queuedAtOf(seen),
      };
    case 'failed':
      return {
        type: 'failed',
        code: 'JOB_FAILED',
        message: outcome.message,
        timing: outcome.timing,
      };
    case 'unknown':
      return outlastDenial(client, outcome, policy, tries);
    case 'deleted':
      return { type: 'failed', code: 'JOB_LOST', message: outcome.message, timing: null };
    case 'postponed': {
      const { message, delayMs, refusesUs: isHindered = false } = outcome;
      // Nothing was asked: what is known of the job stays.
      return { message, delayMs, isHindered, seen: tries.left };
    }
    case 'running': {
      const stuck = jobStuckBecause(ageMs, policy.deadlineMs, outcome.timing);
      if (stuck) return { type: 'failed', ...stuck, timing: outcome.timing };
      // The service knows it: an earlier 404 was wrong.
      const queuedAt = outcome.timing?.queuedAt ?? seen.queuedAt;
      const left = { isKnown: true, ...(queuedAt !== undefined && { queuedAt }) } as const;
      tries.leave(left);
      const delayMs = pollDelay(ageMs, outcome.retryAfterMs, pace);
      return { message: outcome.statusMessage ?? 'running', delayMs, seen: left };
    }
    case 'unavailable':
      return outlastOutage(outcome, ageMs, policy, tries);
  }
}

/**
 * Nothing is known about the job: the outage is waited for, within the same deadline. If other jobs are answered
 * meanwhile, it is no outage, and the job waits for as long as after a 404.
 */
function outlastOutage(
  { message, retryAfterMs, unreadable = false, othersWell = false }: Unavailable,
  ageMs: number,
  { deadlineMs, lostAfterMs = LOST_AFTER_MS }: JobPolicy,
  tries: PollTries,
): PollResult {
  // A service that wants a pause has not looked at the job.
  if (othersWell && retryAfterMs === null) {
    const { forMs, times } = denyAgain(tries, 'unavailable');
    if (forMs >= lostAfterMs && times >= LEAST_DENIALS) {
      const words = `the service answers for other jobs, and not for this one: ${message} (asked ${times} times in ${formatDuration(forMs)})`;
      return { type: 'failed', code: 'JOB_UNREADABLE', message: words, timing: null };
    }
  }
  const stuck = jobStuckBecause(ageMs, deadlineMs, null);
  if (stuck && unreadable) {
    const words = `${stuck.message}, and what the service says of it cannot be read: ${message}`;
    return { type: 'failed', code: 'JOB_UNREADABLE', message: words, timing: null };
  }
  if (stuck) return { type: 'failed', ...stuck, timing: null };
  throw hindered(message, Math.max(growing(tries.attempt), retryAfterMs ?? 0));
}

/** From one poll for the next one. */
export interface Seen extends Owed {
  /** Answers of one sort in a row that say nothing of the job. */
  readonly denied?: { readonly by: Denial; readonly since: number; readonly times: number };
  readonly queuedAt?: string;
  /** It was seen to run. */
  readonly isKnown?: true;
}

function queuedAtOf({ queuedAt }: Seen): Pick<Seen, 'queuedAt'> {
  return queuedAt === undefined ? {} : { queuedAt };
}

/** A 404, or an answer while other jobs were answered. */
type Denial = 'unknown' | 'unavailable';

export type PollTries = Tries<Seen>;

type Unavailable = Extract<PollOutcome, { readonly type: 'unavailable' }>;
type Lost = Extract<PollOutcome, { readonly type: 'unknown' | 'deleted' }>;

/** Regardless of the pauses between them: there may have been no worker. */
const LEAST_DENIALS = 4;
const LONGEST_BETWEEN_MS = 60_000;

/** Counts one more denial, and says for how long (ms) and how often there were only such. */
function denyAgain(tries: PollTries, by: Denial) {
  const now = Date.now();
  const seen: Seen = tries.left ?? {};
  const { since, times } = seen.denied?.by === by ? seen.denied : { since: now, times: 0 };
  tries.leave({ ...seen, denied: { by, since, times: times + 1 } });
  return { forMs: now - since, times: times + 1 };
}

/**
 * The service does not know a job that it has accepted. A cache, a restart or one of several hosts behind the address
 * may cause that for a while, and a new job would have to be paid: it counts when it repeats for long enough while the
 * service works.
 */
async function outlastDenial(
  client: ServiceClient,
  { message, retryAfterMs = 0 }: Lost,
  policy: PollPolicy,
  tries: PollTries,
): Promise<PollResult> {
  const lostAfterMs = patienceFor(policy, tries.left?.isKnown);
  const { forMs, times } = denyAgain(tries, 'unknown');
  if (forMs >= lostAfterMs && times >= LEAST_DENIALS) {
    const { cancellationSignal: signal } = Context.current();
    const isWell = (await client.ping({ signal })).type === 'well';
    const words = `${message} (asked ${times} times in ${formatDuration(forMs)})`;
    if (isWell) return { type: 'failed', code: 'JOB_LOST', message: words, timing: null };
  }
  const grown = growingDelay({ first: 1_000, longest: LONGEST_BETWEEN_MS }, times);
  const wait = Math.min(grown, lostAfterMs);
  const until = formatNonZeroDuration(lostAfterMs - forMs);
  throw hindered(
    `${message}: the service does not know this job; asked again for ${until}`,
    Math.max(wait, retryAfterMs),
  );
}

/**
 * A 404 for the job from before `retry` is accepted after this time (ms) of a working service. A job that was just
 * accepted gets 15 minutes; here they have passed, because the user has seen its end and run `retry`.
 */
const FORMER_LOST_AFTER_MS = 5_000;

function patienceFor(
  { lostAfterMs = LOST_AFTER_MS, isFormer }: PollPolicy,
  isKnown: boolean | undefined,
): number {
  return isFormer && !isKnown ? Math.min(lostAfterMs, FORMER_LOST_AFTER_MS) : lostAfterMs;
}
