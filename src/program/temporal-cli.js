/**
 * Finds the Temporal CLI. Used by the set-up, on any Node from 20, and by the embedded server at run time: so it is
 * plain JavaScript and needs only Node's own modules.
 *
 * The fetched CLI is in the user's cache, because it can be fetched again and all projects share it. Rejected: the
 * package's folder, which may be read-only or belong to root, and an install script, which many users disable.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The version that the set-up fetches, and the oldest one accepted from PATH. */
export const TEMPORAL_CLI_VERSION = '1.9.1';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** `TEMPORAL_CLI` is not a working Temporal CLI: never ignored silently. */
export class TemporalCliError extends Error {
  constructor(path, reason) {
    super(`TEMPORAL_CLI=${path} ${reason}.`);
    this.name = 'TemporalCliError';
    this.code = 'TEMPORAL_CLI_UNUSABLE';
    this.remedy =
      'Point TEMPORAL_CLI at a Temporal CLI that runs, or unset it to use the one that hundredfold fetches.';
  }
}

/** The copy of a checkout; outside node_modules, which `npm ci` empties. A package has none. */
export function ownTemporalCli(root = ROOT) {
  return join(root, '.tools', `temporal-${TEMPORAL_CLI_VERSION}`, 'temporal');
}

/** `$XDG_CACHE_HOME/hundredfold`, else `~/.cache/hundredfold`. Its content can be fetched again. */
export function cacheFolder(env = process.env) {
  const xdg = env.XDG_CACHE_HOME;
  // The XDG Base Directory Specification says to ignore relative paths.
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env.HOME || homedir(), '.cache');
  return join(base, 'hundredfold');
}

/** The copy that all projects of a user share. */
export function cachedTemporalCli(env = process.env) {
  return join(cacheFolder(env), `temporal-${TEMPORAL_CLI_VERSION}`, 'temporal');
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** `1.9.1` when the program identifies itself as the Temporal CLI; null when it does not run or is another program. */
export function temporalCliVersion(path) {
  const run = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  if (run.status !== 0) return null;
  return /^temporal version v?(\d+\.\d+\.\d+)/m.exec(run.stdout)?.[1] ?? null;
}

/** Compared as numbers, not as text: 1.10.0 is newer than 1.9.1. */
export function atLeast(version, least) {
  const [a, b] = [version, least].map((text) => text.split('.').map(Number));
  for (let part = 0; part < 3; part += 1) {
    if (a[part] !== b[part]) return a[part] > b[part];
  }
  return true;
}

function onPath(searchPath) {
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
 * `TEMPORAL_CLI` (any version that runs: the user's choice), the checkout's own copy, the user's cache, then PATH (not
 * older than the pinned version).
 */
export function findTemporalCli({ env = process.env, root = ROOT } = {}) {
  const chosen = env.TEMPORAL_CLI;
  if (chosen !== undefined && chosen !== '') {
    const path = resolve(chosen);
    if (!isExecutable(path)) throw new TemporalCliError(chosen, 'is not a program that can be run');
    return { path, source: 'environment' };
  }
  const own = ownTemporalCli(root);
  if (isExecutable(own)) return { path: own, source: 'project' };
  const cached = cachedTemporalCli(env);
  if (isExecutable(cached)) return { path: cached, source: 'cache' };
  const found = onPath(env.PATH ?? '');
  return found === null ? null : { path: found, source: 'path' };
}
