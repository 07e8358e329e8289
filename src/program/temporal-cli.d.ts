/** Types of `temporal-cli.js`, which stays plain JavaScript because the set-up runs on Node 20. */

/** The version that the set-up fetches, and the oldest one accepted from PATH. */
export const TEMPORAL_CLI_VERSION: string;

export interface TemporalCli {
  /** Absolute. */
  readonly path: string;
  /** `TEMPORAL_CLI`, the copy of a checkout under `.tools/`, the user's cache, or PATH. */
  readonly source: 'environment' | 'project' | 'cache' | 'path';
}

/** Thrown when `TEMPORAL_CLI` is set but is not an executable program. */
export class TemporalCliError extends Error {
  readonly code: 'TEMPORAL_CLI_UNUSABLE';
  /** What the user can do, in a sentence. */
  readonly remedy: string;
  constructor(path: string, reason: string);
}

export interface Search {
  /** Default `process.env`: `TEMPORAL_CLI`, `XDG_CACHE_HOME`, `HOME` and `PATH` are read. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default this checkout. */
  readonly root?: string;
}

/**
 * `TEMPORAL_CLI`, the copy of a checkout, the user's cache, then PATH; null if there is none: `hundredfold setup`
 * fetches one into the cache. Throws a `TemporalCliError` when `TEMPORAL_CLI` is set but unusable.
 */
export function findTemporalCli(search?: Search): TemporalCli | null;

/** The user's cache: its content can be fetched again. `XDG_CACHE_HOME` and `HOME` are read. */
export function cacheFolder(env?: Readonly<Record<string, string | undefined>>): string;

/** `1.9.1` when the program identifies itself as the Temporal CLI; null when it does not run or is another program. */
export function temporalCliVersion(path: string): string | null;

/** Whether a version is equal or newer, comparing its parts as numbers. */
export function atLeast(version: string, least: string): boolean;
