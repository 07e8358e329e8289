/** Asks once how a job is doing. "Not yet" is thrown, so that the server asks again later without an event. */
import { setTimeout as delay } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { JobPolicy } from '../domain/campaign.ts';
import { pollDelay, stuckBecause } from '../domain/poll-delay.ts';
import type { PollResult, RemoteJob } from '../workflows/verbs.ts';
import type { Dependencies } from './dependencies.ts';
import { noteAcceptanceOnce } from './note-acceptance.ts';
import { clientOf } from './service.ts';
import { growing, notYet } from './retry.ts';

/** A shorter wait (ms) is done here: to be called again by the server costs more than a look at the job. */
const WAITED_HERE_MS = 2_000;
/** A look that comes a moment too early costs the service's whole Retry-After; one that comes this much later (ms), this. */
const SLACK_MS = 50;

async function untilItMayBeDone(deps: Dependencies, job: RemoteJob): Promise<void> {
  const shortestMs = deps.jobTimes.shortestMs(job);
  if (shortestMs === null) return;
  const { info, cancellationSignal: signal } = Context.current();
  const waitMs = shortestMs + SLACK_MS - (Date.now() - info.scheduledTimestampMs);
  if (waitMs > WAITED_HERE_MS) throw notYet('too early to ask', waitMs);
  if (waitMs > 0) await delay(waitMs, undefined, { signal });
}

export async function poll(
  deps: Dependencies,
  job: RemoteJob,
  policy: JobPolicy,
): Promise<PollResult> {
  const { info, cancellationSignal: signal } = Context.current();
  const client = clientOf(deps, job.reference);
  await noteAcceptanceOnce(deps, job);
  if (info.attempt === 1) await untilItMayBeDone(deps, job);
  const outcome = await client.poll(job.remoteId, { signal });
  const ageMs = Date.now() - info.scheduledTimestampMs;
  switch (outcome.type) {
    case 'finished':
      return { type: 'finished', artefacts: client.artefacts(job.item.kind) };
    case 'failed':
      return {
        type: 'failed',
        code: 'JOB_FAILED',
        message: outcome.message,
        timing: outcome.timing,
      };
    case 'lost':
      return { type: 'failed', code: 'JOB_LOST', message: outcome.message, timing: null };
    case 'running': {
      const stuck = stuckBecause(ageMs, policy.deadlineMs, outcome.timing);
      if (stuck) return { type: 'failed', ...stuck, timing: outcome.timing };
      throw notYet(outcome.statusMessage ?? 'running', pollDelay(ageMs, outcome.retryAfterMs));
    }
    case 'unavailable': {
      // Says nothing about the job: the outage is waited out, within the same deadline.
      const stuck = stuckBecause(ageMs, policy.deadlineMs, null);
      if (stuck) return { type: 'failed', ...stuck, timing: null };
      throw notYet(outcome.message, Math.max(growing(info.attempt), outcome.retryAfterMs ?? 0));
    }
  }
}
