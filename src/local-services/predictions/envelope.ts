/** The status envelope (contract 2.3). Pure, except for the clock. */
import type { Clock } from '../clock.ts';
import type { Job } from '../job.ts';
import { timingBlock } from '../timing.ts';
import type { StatusEnvelope } from './answers.ts';

/** @param base URL of the interface, as seen by the client */
export function statusEnvelope(job: Job, base: string, clock: Clock): StatusEnvelope {
  return {
    request_id: job.id,
    status: job.state,
    // `findJob` and the past results return only jobs of this service.
    request_type: job.requestType as StatusEnvelope['request_type'],
    progress: job.progress,
    attempt: job.attempt,
    created_at: clock.iso(job.queuedAt),
    updated_at: clock.iso(job.updatedAt),
    error: job.error,
    status_message: job.statusMessage,
    history_url: `${base}/results/${job.id}/history/`,
    timing: timingBlock(job, clock.now(), clock),
  };
}
