/** The folder for data of a user and a machine rather than of one working folder: the ledger of charges. */
import { constants, accessSync, existsSync, readFileSync, realpathSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../domain/process.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { createPrivateFolder } from './private-folder.ts';
import { warn } from './warn.ts';

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
export function chooseStatePath(environment: Environment, platform = process.platform): string {
  const chosen = environment['HUNDREDFOLD_STATE_DIR'];
  if (chosen) return existsSync(chosen) ? realpathSync(chosen) : resolve(chosen);
  const xdg = environment['XDG_STATE_HOME'];
  const home = environment['HOME'] ?? findHome();
  const base =
    // The specification says to ignore a relative path.
    xdg && isAbsolute(xdg)
      ? xdg
      : platform === 'darwin'
        ? join(home, 'Library', 'Application Support')
        : join(home, '.local', 'state');
  return join(base, 'hundredfold', readMachineName());
}

/** A user id without an account has no home: the folder cannot be created, and the fallback is used. */
function findHome(): string {
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
  const path = chooseStatePath(environment);
  try {
    return { path: checkUsable(path), problem: null };
  } catch (cause) {
    const problem = createUnusableError(path, cause);
    if (environment['HUNDREDFOLD_STATE_DIR'] || fallback === null) throw problem;
    try {
      return { path: checkUsable(resolve(fallback)), problem: problem.message };
    } catch {
      throw problem;
    }
  }
}

/**
 * For commands: the user's own, or one beside the embedded server if there is no home.
 * @throws HundredfoldError `STATE_FOLDER_UNUSABLE`
 */
export function findStateFolder({
  settings,
  environment,
}: {
  readonly settings: { readonly embeddedDir: string };
  readonly environment: Environment;
}): string {
  const { path, problem } = openStateFolder(environment, join(settings.embeddedDir, 'state'));
  if (problem !== null)
    warn(
      `${problem}. Submissions are counted in ${path}, which other folders do not see: set HUNDREDFOLD_STATE_DIR.`,
    );
  return path;
}

function checkUsable(path: string): string {
  if (!existsSync(path)) accessSync(findFirstExisting(path), constants.W_OK);
  createPrivateFolder(path, isOurs);
  accessSync(path, constants.W_OK | constants.X_OK);
  return path;
}

/** Campaigns that were started on this machine. */
export const REMEMBERED_FILE = 'campaigns.jsonl';

/** With the files of the ledger. */
function isOurs(name: string): boolean {
  return name.startsWith('ledger.') || name === REMEMBERED_FILE;
}

function findFirstExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : findFirstExisting(dirname(path));
}

/** Eight hexadecimal digits; the machine's id is not to be published (machine-id(5)). */
function readMachineName(): string {
  let id: string;
  try {
    id = readFileSync('/etc/machine-id', 'utf8').trim() || hostname();
  } catch {
    id = hostname();
  }
  return createHash('sha256').update(`hundredfold ${id}`).digest('hex').slice(0, 8);
}

function createUnusableError(path: string, cause: unknown): HundredfoldError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new HundredfoldError(
    'STATE_FOLDER_UNUSABLE',
    `cannot use ${path} for the ledger of submissions: ${reason}`,
    'Set HUNDREDFOLD_STATE_DIR to a folder of your own, on a disk of this machine.',
    { cause },
  );
}
