/** Whether a job that was asked for once more has to be followed by another one. Pure. */

/** Ends after which a job brings nothing any more, whatever it had brought before. */
const OF_NO_USE: readonly string[] = ['JOB_FAILED', 'JOB_LOST', 'JOB_STUCK', 'RESULT_ABSENT'];

/** The result of another job of the same input would be as large. */
const OF_EVERY_JOB: readonly string[] = ['RESULT_TOO_LARGE'];

/** @param before what the job had brought when its item was opened again */
export function isOfNoUse(code: string | null, before: string): boolean {
  if (code === null || OF_EVERY_JOB.includes(code)) return false;
  return OF_NO_USE.includes(code) || (code === before && /^(JOB|RESULT)_/.test(code));
}
