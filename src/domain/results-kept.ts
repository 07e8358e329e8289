/**
 * Both services delete a job with its results this long (ms) after its submission. The contracts name no time; this is
 * what is known of them.
 */
export const RESULTS_KEPT_MS = 14 * 86_400_000;
