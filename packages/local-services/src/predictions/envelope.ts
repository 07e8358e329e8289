/** The status envelope (contract 2.3). Pure, except for the clock. */
import type { Clock } from '../clock.ts';
import type { Job } from '../job.ts';

/** @param base URL of the interface, as seen by the client */
export function statusEnvelope(job: Job, base: string, clock: Clock) {
  return {
    request_id: job.id,
    status: job.state,
    // `findJob` and the past results return only jobs of this service.
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

/** `HH:MM:SS`; hours may have more than two digits. */
function clockString(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

function secondsBetween(from: number, to: number): number {
  return Math.max(0, Math.floor((to - from) / 1000));
}

/** The timing block (2.4). Wall and left are computed from the rounded parts, so that the block is consistent. */
function timingBlock(job: Job, now: number, clock: Clock) {
  const end = job.finishedAt ?? now;
  const wait = secondsBetween(job.queuedAt, job.startedAt ?? end);
  const elapsed = job.startedAt === null ? 0 : secondsBetween(job.startedAt, end);
  const limit = Math.round(job.timeLimitMs / 1000);
  const left = job.state === 'RUNNING' ? Math.max(0, limit - elapsed) : null;
  return {
    queued_at: clock.iso(job.queuedAt),
    started_at: clock.isoOrNull(job.startedAt),
    finished_at: clock.isoOrNull(job.finishedAt),
    queue_wait: clockString(wait),
    queue_wait_seconds: wait,
    elapsed_time: clockString(elapsed),
    elapsed_seconds: elapsed,
    left_time: left === null ? null : clockString(left),
    left_seconds: left,
    wall_time: clockString(wait + elapsed),
    wall_seconds: wait + elapsed,
    time_limit: clockString(limit),
    time_limit_seconds: limit,
    last_heartbeat_at: clock.isoOrNull(job.heartbeatAt),
    // Fixed after the end: a finished job's worker is not silent.
    heartbeat_age_seconds: job.heartbeatAt === null ? null : secondsBetween(job.heartbeatAt, end),
  };
}
