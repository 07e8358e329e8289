/** Types of `fetch-temporal.js`, which stays plain JavaScript because the set-up of a checkout runs on Node 20. */

/**
 * Fetches the Temporal CLI into the user's cache, compared with its SHA-256; its path.
 * Throws a SetupProblem that says what to do.
 */
export function fetchTemporalCli(
  env?: Readonly<Record<string, string | undefined>>,
): Promise<string>;
