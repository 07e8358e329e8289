/**
 * Finds the Temporal CLI for the embedded server.
 *
 * The fetched CLI is in the user's cache, because it can be fetched again and all projects share it. Rejected: the
 * package's folder, which may be read-only or belong to root, and an install script, which many users disable.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** The version that is fetched, and the oldest one accepted from PATH. */
export const TEMPORAL_CLI_VERSION = '1.9.1';

export interface TemporalCli {
  /** Absolute. */
  readonly path: string;
  /** `TEMPORAL_CLI`, the user's cache, or PATH. */
  readonly source: 'environment' | 'cache' | 'path';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `TEMPORAL_CLI` is not a working Temporal CLI: never ignored silently. */
export class TemporalCliError extends Error {
  readonly code = 'TEMPORAL_CLI_UNUSABLE';
  readonly remedy =
    'Point TEMPORAL_CLI at a Temporal CLI that runs, or unset it to use the one that hundredfold fetches.';

  constructor(path: string, reason: string) {
    super(`TEMPORAL_CLI=${path} ${reason}.`);
    this.name = 'TemporalCliError';
  }
}

/** `$XDG_CACHE_HOME/hundredfold`, else `~/.cache/hundredfold`. Its content can be fetched again. */
export function cacheFolder(env: Environment = process.env): string {
  const xdg = env['XDG_CACHE_HOME'];
  // The XDG Base Directory Specification says to ignore relative paths.
  const base =
    xdg !== undefined && isAbsolute(xdg) ? xdg : join(env['HOME'] || homedir(), '.cache');
  return join(base, 'hundredfold');
}

/** The copy that all projects of a user share. */
export function cachedTemporalCli(env: Environment = process.env): string {
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

/** `1.9.1` when the program identifies itself as the Temporal CLI; null when it does not run or is another program. */
export function temporalCliVersion(path: string): string | null {
  const run = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  if (run.status !== 0) return null;
  return /^temporal version v?(\d+\.\d+\.\d+)/m.exec(run.stdout)?.[1] ?? null;
}

/** Compared as numbers, not as text: 1.10.0 is newer than 1.9.1. */
export function atLeast(version: string, least: string): boolean {
  const wanted = least.split('.').map(Number);
  for (const [part, number] of version.split('.').map(Number).entries()) {
    if (number !== wanted[part]) return number > (wanted[part] ?? 0);
  }
  return true;
}

function onPath(searchPath: string): string | null {
  for (const folder of searchPath.split(delimiter)) {
    // An empty entry means the current folder: a program there must not be used by accident.
    if (folder === '') continue;
    const path = join(folder, 'temporal');
    if (!isExecutable(path)) continue;
    const version = temporalCliVersion(path);
    if (version !== null && atLeast(version, TEMPORAL_CLI_VERSION)) return path;
  }
  return null;
}

/**
 * `TEMPORAL_CLI` (any version that runs: the user's choice), the user's cache, then PATH (not older than the pinned
 * version); null if there is none. Throws a TemporalCliError when `TEMPORAL_CLI` is set but unusable.
 */
export function findTemporalCli(env: Environment = process.env): TemporalCli | null {
  const chosen = env['TEMPORAL_CLI'];
  if (chosen !== undefined && chosen !== '') {
    const path = resolve(chosen);
    if (!isExecutable(path)) throw new TemporalCliError(chosen, 'is not a program that can be run');
    return { path, source: 'environment' };
  }
  const cached = cachedTemporalCli(env);
  if (isExecutable(cached)) return { path: cached, source: 'cache' };
  const found = onPath(env['PATH'] ?? '');
  return found === null ? null : { path: found, source: 'path' };
}
