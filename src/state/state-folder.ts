/**
 * The folder for data of a user and a machine rather than of one working folder: the ledger of charges, and the lock
 * that is held while ports are chosen.
 */
import { constants, accessSync, existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../domain/environment.ts';
import { codedError, type HundredfoldError } from '../domain/errors.ts';
import { isOwn, privateFolder } from './private-folder.ts';

/** Contains the lock on choosing ports. */
export const PORTS_FOLDER = 'ports';

interface StateFolder {
  readonly path: string;
  /** Why the user's own folder could not be used, if `path` is the replacement. */
  readonly problem: string | null;
}

/**
 * `HUNDREDFOLD_STATE_DIR`; else `$XDG_STATE_HOME/hundredfold`, `~/.local/state/hundredfold` or, on macOS,
 * `~/Library/Application Support/hundredfold`. Below the home, each machine has its own folder: several machines may
 * share a home, but neither SQLite's write-ahead log nor a steady clock works across machines.
 */
export function statePath(environment: Environment, platform = process.platform): string {
  const chosen = environment['HUNDREDFOLD_STATE_DIR'];
  if (chosen) return existsSync(chosen) ? realpathSync(chosen) : resolve(chosen);
  const xdg = environment['XDG_STATE_HOME'];
  const home = environment['HOME'] ?? homeOfUser();
  const base =
    // The specification says to ignore a relative path.
    xdg && isAbsolute(xdg)
      ? xdg
      : platform === 'darwin'
        ? join(home, 'Library', 'Application Support')
        : join(home, '.local', 'state');
  return join(base, 'hundredfold', machineName());
}

/** A user id without an account has no home: the folder cannot be created, and the fallback is used. */
function homeOfUser(): string {
  try {
    return homedir();
  } catch {
    return '/nonexistent';
  }
}

/**
 * Opens the folder, 0700. If the home is not writable (a service account without one), `fallback` is used, which only
 * the commands of one working folder share: the caller shows `problem`.
 * @throws HundredfoldError `STATE_FOLDER_UNUSABLE` when a chosen folder cannot be used, or neither of the two
 */
export function openStateFolder(environment: Environment, fallback: string | null): StateFolder {
  const path = statePath(environment);
  try {
    return { path: usable(path), problem: null };
  } catch (cause) {
    const problem = unusable(path, cause);
    if (environment['HUNDREDFOLD_STATE_DIR'] || fallback === null) throw problem;
    try {
      return { path: usable(resolve(fallback)), problem: problem.message };
    } catch {
      throw problem;
    }
  }
}

/**
 * Folder for locks of this user: `$XDG_RUNTIME_DIR`, which the system creates for one user alone, else the state
 * folder. Never the shared temporary directory: another user could create the folder first.
 */
export function runtimePath(environment: Environment, state: () => string): string {
  const runtime = environment['XDG_RUNTIME_DIR'];
  if (runtime && isAbsolute(runtime) && isPrivate(runtime)) return join(runtime, 'hundredfold');
  return state();
}

/** `su` and `sudo -E` pass on the directory of another user. */
function isPrivate(folder: string): boolean {
  try {
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (!stat?.isDirectory() || !isOwn(stat) || (stat.mode & 0o022) !== 0) return false;
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function usable(path: string): string {
  if (!existsSync(path)) accessSync(firstExisting(path), constants.W_OK);
  privateFolder(path, isOurs);
  accessSync(path, constants.W_OK | constants.X_OK);
  return path;
}

/** The files of the ledger, and the folder of the lock. */
function isOurs(name: string): boolean {
  return name.startsWith('ledger.') || name === PORTS_FOLDER;
}

function firstExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : firstExisting(dirname(path));
}

/** Eight hexadecimal digits; the machine's id is not to be published (machine-id(5)). */
function machineName(): string {
  let id: string;
  try {
    id = readFileSync('/etc/machine-id', 'utf8').trim() || hostname();
  } catch {
    id = hostname();
  }
  return createHash('sha256').update(`hundredfold ${id}`).digest('hex').slice(0, 8);
}

function unusable(path: string, cause: unknown): HundredfoldError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return codedError('STATE_FOLDER_UNUSABLE', { path, reason }, cause);
}
