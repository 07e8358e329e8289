/** When a job that the service calls unfinished is given up. */
import type { ItemEndCode } from './item-end-codes.ts';
import type { Timing } from './outcomes.ts';

/** If the worker behind a running job is silent for longer, the job is no longer processed. */
const SILENT_SECONDS = 3_600;

/** The service fails a job that exceeds its time limit; if it has not done so after this long, in s, it never will. */
const OVERRUN_SECONDS = 3_600;

/** Why a job that the service calls unfinished will never finish; null while it may. */
export function explainStuckJob(
  ageMs: number,
  deadlineMs: number,
  timing: Timing | null,
): { code: ItemEndCode; message: string } | null {
  if (ageMs > deadlineMs) {
    const hours = (deadlineMs / 3_600_000).toFixed(1);
    return { code: 'JOB_OVERDUE', message: `not finished ${hours} h after it was accepted` };
  }
  const silent = timing?.heartbeatAgeSeconds ?? 0;
  if (timing?.startedAt && silent > SILENT_SECONDS) {
    return { code: 'JOB_STUCK', message: `the service has not worked on it for ${silent} s` };
  }
  const overrun = (timing?.elapsedSeconds ?? 0) - (timing?.timeLimitSeconds ?? Infinity);
  if (overrun > OVERRUN_SECONDS) {
    return { code: 'JOB_STUCK', message: `still called running ${overrun} s past its time limit` };
  }
  return null;
}
