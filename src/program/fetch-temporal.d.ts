/** Types of `fetch-temporal.js`, which stays plain JavaScript because the set-up of a checkout runs on Node 20. */

/**
 * Fetches the Temporal CLI into the user's cache and checks its SHA-256; returns its path. Throws a SetupProblem with
 * the remedy.
 */
export function fetchTemporalCli(
  env?: Readonly<Record<string, string | undefined>>,
): Promise<string>;
