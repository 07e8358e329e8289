/** Whether a job that was polled again must be replaced by another one. Pure. */
import type { ItemEndCode } from './item-end-codes.ts';

/** Ends after which a job has no result any more, regardless of how it ended before. */
const OF_NO_USE: readonly string[] = [
  'JOB_FAILED',
  'JOB_LOST',
  'JOB_STUCK',
  'RESULT_ABSENT',
] satisfies ItemEndCode[];

/**
 * Ends that say nothing against the job: the result of another one of the same input would be as large, and its state
 * as unreadable.
 */
const OF_EVERY_JOB: readonly string[] = [
  'JOB_UNREADABLE',
  'RESULT_TOO_LARGE',
] satisfies ItemEndCode[];

/** @param before how the job had ended when its item was reopened */
export function shouldReplaceJob(code: string | null, before: string): boolean {
  if (code === null || OF_EVERY_JOB.includes(code)) return false;
  return OF_NO_USE.includes(code) || (code === before && /^(JOB|RESULT)_/.test(code));
}
