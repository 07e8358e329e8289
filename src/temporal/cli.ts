/**
 * Finds the Temporal CLI, the program of the embedded server, or fetches it.
 *
 * The fetched CLI is in the user's cache, because it can be fetched again and all projects share it. Rejected: the
 * package's folder, which may be read-only or belong to root, and an install script, which many users disable.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { HundredfoldError } from '../domain/errors.ts';
import { cacheFolder } from '../program/cache.ts';
import { fetchTemporalCli, TEMPORAL_CLI_VERSION, temporalCliVersion } from './fetch-cli.ts';

export interface TemporalCli {
  /** Absolute. */
  readonly path: string;
  /** `TEMPORAL_CLI`, the user's cache, or PATH. */
  readonly source: 'environment' | 'cache' | 'path';
}

/** Its path. Throws TEMPORAL_CLI_MISSING, TEMPORAL_CLI_UNUSABLE. */
export function temporalCli(): string {
  const cli = findTemporalCli();
  if (cli) return cli.path;
  throw new HundredfoldError(
    'TEMPORAL_CLI_MISSING',
    'the Temporal CLI, which contains the embedded server, is not installed',
    'Run `hundredfold setup`, or set TEMPORAL_CLI to a copy of it.',
  );
}

/**
 * Its path, fetched into the user's cache if there is none; `say` is called before a fetch, which takes seconds. Throws
 * TEMPORAL_CLI_UNUSABLE and the codes of a failed fetch (SETUP_FAILED, …).
 */
export async function ensureTemporalCli(say: (line: string) => void): Promise<TemporalCli> {
  const cli = findTemporalCli();
  if (cli) return cli;
  say(`Downloading the Temporal CLI ${TEMPORAL_CLI_VERSION} (44 MB), once for this user …`);
  const path = cachedTemporalCli();
  await fetchTemporalCli(path);
  return { path, source: 'cache' };
}

/**
 * `TEMPORAL_CLI` (any version that runs: the user's choice), the user's cache, then PATH (not older than the pinned
 * version); null if there is none. Throws TEMPORAL_CLI_UNUSABLE when `TEMPORAL_CLI` is set but no program: never ignored.
 */
export function findTemporalCli(env: NodeJS.ProcessEnv = process.env): TemporalCli | null {
  const chosen = env['TEMPORAL_CLI'];
  if (chosen !== undefined && chosen !== '') {
    const path = resolve(chosen);
    if (!isExecutable(path))
      throw new HundredfoldError(
        'TEMPORAL_CLI_UNUSABLE',
        `TEMPORAL_CLI=${chosen} is not a program that can be run`,
        'Point TEMPORAL_CLI at a Temporal CLI that runs, or unset it to use the one that hundredfold fetches.',
      );
    return { path, source: 'environment' };
  }
  const cached = cachedTemporalCli(env);
  if (isExecutable(cached)) return { path: cached, source: 'cache' };
  const found = onPath(env['PATH'] ?? '');
  return found === null ? null : { path: found, source: 'path' };
}

/** The copy that all projects of a user share. */
function cachedTemporalCli(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), `temporal-${TEMPORAL_CLI_VERSION}`, 'temporal');
}

/** A file that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function onPath(searchPath: string): string | null {
  for (const folder of searchPath.split(delimiter)) {
    // An empty entry means the current folder: a program there must not be used by accident.
    if (folder === '') continue;
    const path = join(folder, 'temporal');
    if (!isExecutable(path)) continue;
    const version = temporalCliVersion(path);
    if (version !== null && isAtLeast(version, TEMPORAL_CLI_VERSION)) return path;
  }
  return null;
}

/** Compared as numbers, not as text: 1.10.0 is newer than 1.9.1. */
function isAtLeast(version: string, least: string): boolean {
  return version.localeCompare(least, 'en', { numeric: true }) >= 0;
}
