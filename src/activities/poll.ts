/** Asks once how a job is doing. "Not yet" is thrown, so that the server asks again later without an event. */
import { Context } from '@temporalio/activity';
import type { JobPolicy } from '../domain/campaign.ts';
import { pollDelay, stuckBecause } from '../domain/poll-delay.ts';
import type { PollResult, RemoteJob } from '../workflows/verbs.ts';
import type { Dependencies } from './dependencies.ts';
import { noteAcceptance } from './note-acceptance.ts';
import { clientOf } from './service.ts';
import { growing, notYet } from './retry.ts';

export async function poll(
  deps: Dependencies,
  job: RemoteJob,
  policy: JobPolicy,
): Promise<PollResult> {
  const { info, cancellationSignal: signal } = Context.current();
  const client = clientOf(deps, job.reference);
  if (info.attempt === 1) {
    await noteAcceptance(deps, job);
    const waitMs = deps.jobTimes.shortestMs(job);
    if (waitMs > 0) throw notYet('too early to ask', waitMs);
  }
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
