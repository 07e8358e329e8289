/**
 * The folder for data of a user and a machine rather than of one working folder, with the ledger of charges; and, for every
 * such folder, that only its owner may read it (0700, files 0600). They contain tokens, histories and the record of
 * submissions, and on a shared machine the default of most systems lets every user read them.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { HundredfoldError } from './domain/errors.ts';

/**
 * `HUNDREDFOLD_STATE_DIR`; else `$XDG_STATE_HOME/hundredfold`, `~/.local/state/hundredfold` or, on macOS,
 * `~/Library/Application Support/hundredfold`. Below the home, each machine has its own folder: several machines may
 * share a home, but neither SQLite's write-ahead log nor a steady clock works across machines.
 */
export function chooseStatePath(
  environment: NodeJS.ProcessEnv,
  platform = process.platform,
): string {
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

/** A user id without an account has no home: the folder cannot be created. */
function findHome(): string {
  try {
    return homedir();
  } catch {
    return '/nonexistent';
  }
}

/**
 * Opens the folder, 0700.
 * @throws HundredfoldError `STATE_FOLDER_UNUSABLE`
 */
export function openStateFolder(environment: NodeJS.ProcessEnv): string {
  const path = chooseStatePath(environment);
  try {
    if (!existsSync(path)) accessSync(findFirstExisting(path), constants.W_OK);
    createPrivateFolder(path);
    accessSync(path, constants.W_OK | constants.X_OK);
    return path;
  } catch (cause) {
    throw createUnusableError(path, cause);
  }
}

/** Campaigns that were started on this machine. */
export const REMEMBERED_FILE = 'campaigns.jsonl';

export function findFirstExisting(path: string): string {
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

export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** Others may write to the folder, so they may replace its content. */
const OTHERS_WRITE = 0o022;

/**
 * Creates the folder with mode 0700, or accepts an existing one if it is a real folder of this user.
 * @throws HundredfoldError `STATE_FOLDER_UNUSABLE` for a symbolic link, a folder of another user, or one that is writable
 * for others; the system's own error when it cannot be created
 */
export function createPrivateFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const stat = lstatSync(folder);
  if (stat.isSymbolicLink()) throw createNotPrivateError(folder, 'it is a symbolic link');
  if (!stat.isDirectory()) throw createNotPrivateError(folder, 'it is not a folder');
  if (!isOwn(stat))
    throw createNotPrivateError(folder, `it belongs to another user (id ${stat.uid})`);
  if ((stat.mode & OTHERS_WRITE) !== 0)
    throw createNotPrivateError(folder, 'others can write in it');
  return folder;
}

/** Creates an empty file with mode 0600 if there is none. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE));
}

function isOwn({ uid }: { readonly uid: number }): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function createNotPrivateError(folder: string, why: string): HundredfoldError {
  return new HundredfoldError(
    'STATE_FOLDER_UNUSABLE',
    `${folder} cannot be used as a private folder: ${why}`,
    'Remove it, or name a folder of your own in HUNDREDFOLD_STATE_DIR.',
  );
}
