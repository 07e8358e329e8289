/** The timing block (contract 2.4): how long a job waited, runs and may run, and the age of its heartbeat. */
import type { Timing } from '../../domain/outcomes.ts';
import { asObject } from '../../results/json.ts';
import { timingSchema } from './schemas.ts';

export function readTiming(json: unknown): Timing | null {
  if (asObject(json) === null) return null;
  const block = timingSchema.parse(json);
  return {
    queuedAt: block.queued_at,
    startedAt: block.started_at,
    finishedAt: block.finished_at,
    queueWaitSeconds: block.queue_wait_seconds ?? clockSeconds(block.queue_wait),
    elapsedSeconds: block.elapsed_seconds ?? clockSeconds(block.elapsed_time),
    leftSeconds: block.left_seconds ?? clockSeconds(block.left_time),
    timeLimitSeconds: block.time_limit_seconds ?? clockSeconds(block.time_limit),
    heartbeatAgeSeconds: block.heartbeat_age_seconds,
  };
}

/** `HH:MM:SS` in seconds; hours may have more than two digits. */
function clockSeconds(clock: string | null): number | null {
  const parts = /^(\d+):([0-5]?\d):([0-5]?\d)$/.exec(clock ?? '');
  return parts === null ? null : Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3]);
}
