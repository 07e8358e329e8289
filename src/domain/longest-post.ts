/**
 * The longest time between the start of a submission and its outcome (ms): the time-out of the submit activity. A
 * process that died in between may have sent the job at any moment of it.
 */
export const LONGEST_POST_MS = 45_000;
