/** Asks once how a job is doing. "Not yet" is thrown, so that the server asks again later without an event. */
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { LOST_AFTER_MS, type JobPolicy } from '../domain/campaign.ts';
import { formatDuration } from '../domain/duration.ts';
import type { PollOutcome } from '../domain/outcomes.ts';
import { pollDelay, stuckBecause } from '../domain/poll-delay.ts';
import type { PollPolicy, PollResult, RemoteJob } from '../workflows/verbs.ts';
import type { ServiceClient } from '../services/client.ts';
import type { Dependencies } from './dependencies.ts';
import { noteAcceptanceOnce } from './note-acceptance.ts';
import { clientOf } from './service.ts';
import { growing, notYet } from './retry.ts';
import { ageOf } from './server-clock.ts';

/** A shorter wait (ms) is done here: to be called again by the server costs more than a look at the job. */
const WAITED_HERE_MS = 2_000;
/** A look that comes a moment too early costs the service's whole Retry-After; one that comes this much later (ms), this. */
const SLACK_MS = 50;

async function untilItMayBeDone(deps: Dependencies, job: RemoteJob): Promise<void> {
  const shortestMs = deps.jobTimes.shortestMs(job);
  if (shortestMs === null) return;
  const { info, cancellationSignal: signal } = Context.current();
  const waitMs = shortestMs + SLACK_MS - ageOf(deps.serverClock, info);
  if (waitMs > WAITED_HERE_MS) throw notYet('too early to ask', waitMs);
  if (waitMs > 0) await delay(waitMs, undefined, { signal });
}

export async function poll(
  deps: Dependencies,
  job: RemoteJob,
  policy: PollPolicy,
): Promise<PollResult> {
  const { info, cancellationSignal: signal } = Context.current();
  const client = clientOf(deps, job.reference);
  await noteAcceptanceOnce(deps, job);
  // A job of before `retry` may have ended long ago.
  if (info.attempt === 1 && !policy.once) await untilItMayBeDone(deps, job);
  const outcome = await client.poll(job.remoteId, { signal, kind: job.item.kind });
  const ageMs = ageOf(deps.serverClock, info);
  const seen = seenBefore(Context.current());
  switch (outcome.type) {
    case 'finished':
      // The result itself has no timing block, and the log does not say when the job was queued (contract 2.5, 2.6).
      return { type: 'finished', artefacts: client.artefacts(job.item.kind), ...queuedAtOf(seen) };
    case 'failed':
      return {
        type: 'failed',
        code: 'JOB_FAILED',
        message: outcome.message,
        timing: outcome.timing,
      };
    case 'lost':
      return believed(client, outcome, policy);
    case 'postponed':
      throw notYet(outcome.message, outcome.delayMs);
    case 'running': {
      const stuck = stuckBecause(ageMs, policy.deadlineMs, outcome.timing);
      if (stuck) return { type: 'failed', ...stuck, timing: outcome.timing };
      if (policy.once) return { type: 'running' };
      // It is there: an earlier 404 was wrong.
      const queuedAt = outcome.timing?.queuedAt ?? seen.queuedAt;
      Context.current().heartbeat(queuedAt === undefined ? null : { queuedAt });
      const delayMs = outcome.nextMs ?? pollDelay(ageMs, outcome.retryAfterMs);
      throw notYet(outcome.statusMessage ?? 'running', delayMs);
    }
    case 'unavailable': {
      // Says nothing about the job: the outage is waited out, within the same deadline.
      const stuck = stuckBecause(ageMs, policy.deadlineMs, null);
      if (stuck) return { type: 'failed', ...stuck, timing: null };
      throw notYet(outcome.message, Math.max(growing(info.attempt), outcome.retryAfterMs ?? 0));
    }
  }
}

/** Left by a look with its heartbeat, for the next one. */
interface Seen {
  /** Of 404s in a row. */
  readonly badSince?: number;
  readonly times?: number;
  readonly queuedAt?: string;
}

function seenBefore({ info }: Context): Seen {
  return (info.heartbeatDetails as Seen | null | undefined) ?? {};
}

function queuedAtOf({ queuedAt }: Seen): Pick<Seen, 'queuedAt'> {
  return queuedAt === undefined ? {} : { queuedAt };
}

type Lost = Extract<PollOutcome, { readonly type: 'lost' }>;

/** However long the pauses between them were: nobody may have been there to ask. */
const LEAST_DENIALS = 4;
const LONGEST_BETWEEN_MS = 60_000;

/**
 * The service does not know a job that it has accepted. A cache, a restart or one of several hosts behind the address
 * may say so for a while, and a new job would be paid for: it is believed when it repeats for long enough, while the
 * service is well.
 */
async function believed(
  client: ServiceClient,
  { message, retryAfterMs = 0 }: Lost,
  { lostAfterMs = LOST_AFTER_MS }: JobPolicy,
): Promise<PollResult> {
  const context = Context.current();
  const seen = seenBefore(context);
  const { badSince = Date.now(), times = 0 } = seen;
  const deniedMs = Date.now() - badSince;
  if (deniedMs >= lostAfterMs && times + 1 >= LEAST_DENIALS) {
    const { cancellationSignal: signal } = context;
    const isWell = (await client.ping({ signal })).type === 'well';
    const words = `${message} (asked ${times + 1} times in ${formatDuration(deniedMs)})`;
    if (isWell) return { type: 'failed', code: 'JOB_LOST', message: words, timing: null };
  }
  context.heartbeat({ badSince, times: times + 1, ...queuedAtOf(seen) });
  const wait = Math.min(LONGEST_BETWEEN_MS, 1_000 * 2 ** Math.min(times, 6), lostAfterMs);
  const until = formatDuration(Math.max(1_000, lostAfterMs - deniedMs));
  throw notYet(
    `${message}: the service does not know this job; asked again for ${until}`,
    Math.max(wait, retryAfterMs),
  );
}
