/** The status envelope (contract 2.3). Pure, but for the clock. */
import type { Clock } from '../clock.ts';
import type { Job } from '../job.ts';
import { timingBlock } from '../timing.ts';

export function statusEnvelope(job: Job, base: string, clock: Clock): Record<string, unknown> {
  return {
    request_id: job.id,
    status: job.state,
    request_type: job.requestType,
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
