/**
 * Folders and files that only their owner may read: 0700 and 0600. They contain tokens, histories and the record of
 * submissions, and on a shared machine the default of most systems lets every user read them.
 */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HundredfoldError } from '../domain/errors.ts';

export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Others may write to the folder, so they may replace its content. */
const OTHERS_WRITE = 0o022;

/**
 * Creates the folder with mode 0700, or accepts an existing one if it is a real folder of this user. The mode of an
 * existing one is tightened if all of its content `isOurs`.
 * @throws HundredfoldError `STATE_FOLDER_UNUSABLE` for a symbolic link, a folder of another user, or one that is writable
 * for others and contains something else; the system's own error when it cannot be created
 */
export function createPrivateFolder(
  folder: string,
  isOurs: (name: string) => boolean = () => true,
): string {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const stat = lstatSync(folder);
  if (stat.isSymbolicLink()) throw createNotPrivateError(folder, 'it is a symbolic link');
  if (!stat.isDirectory()) throw createNotPrivateError(folder, 'it is not a folder');
  if (!isOwn(stat))
    throw createNotPrivateError(folder, `it belongs to another user (id ${stat.uid})`);
  if ((stat.mode & OTHERS) === 0) return folder;
  if (readdirSync(folder).every(isOurs)) chmodSync(folder, PRIVATE_FOLDER);
  else if ((stat.mode & OTHERS_WRITE) !== 0)
    throw createNotPrivateError(folder, 'others can write in it');
  return folder;
}

/** Creates an empty file with mode 0600 if there is none; tightens the mode of an existing one. */
export function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE));
  tightenFile(path);
}

/**
 * Tightens modes that another umask has left open to others: of the files named by `isOurs`,
 * and of the folder itself if it contains nothing else. A folder that also contains the user's own files keeps its
 * mode.
 */
export function tightenFolder(folder: string, isOurs: (name: string) => boolean): void {
  const names = readdirSync(folder);
  const ours = names.filter(isOurs);
  for (const name of ours) tightenFile(join(folder, name));
  const stat = lstatSync(folder);
  const shared = ours.length < names.length || stat.isSymbolicLink();
  if (!shared && isOwn(stat) && (stat.mode & OTHERS) !== 0) chmodSync(folder, PRIVATE_FOLDER);
}

/** Only our own regular files: the mode behind a symbolic link is not ours to change. */
function tightenFile(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() && isOwn(stat) && (stat.mode & OTHERS) !== 0) chmodSync(path, PRIVATE_FILE);
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
