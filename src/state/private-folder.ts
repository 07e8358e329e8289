/**
 * Folders and files that only their owner may read: 0700 and 0600. Tokens, histories and the record of what was sent
 * lie in them, and on a shared machine the default of most systems lets every user read them.
 */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HundredfoldError } from '../domain/errors.ts';

export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;

/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Others may write in it, so they may replace what lies in it. */
const OTHERS_WRITE = 0o022;

/**
 * Makes the folder, with mode 0700, or takes one that exists when it is a real folder of this user. The mode of an
 * existing one is tightened when all that lies in it `isOurs`.
 * @throws HundredfoldError `FOLDER_NOT_PRIVATE` for a symbolic link, a folder of another user, or one that others can
 * write in and that holds something else; the system's own error when it cannot be made
 */
export function privateFolder(
  folder: string,
  isOurs: (name: string) => boolean = () => true,
): string {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const stat = lstatSync(folder);
  if (stat.isSymbolicLink()) throw notPrivate(folder, 'it is a symbolic link');
  if (!stat.isDirectory()) throw notPrivate(folder, 'it is not a folder');
  if (!isOwn(stat)) throw notPrivate(folder, `it belongs to another user (id ${stat.uid})`);
  if ((stat.mode & OTHERS) === 0) return folder;
  if (readdirSync(folder).every(isOurs)) chmodSync(folder, PRIVATE_FOLDER);
  else if ((stat.mode & OTHERS_WRITE) !== 0) throw notPrivate(folder, 'others can write in it');
  return folder;
}

/** Makes an empty file with mode 0600 when there is none; tightens the mode of one that exists. */
export function privateFile(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE));
  tightenFile(path);
}

/**
 * Tightens what an earlier version, or another umask, has left open to others: the files named by `isOurs`, and the
 * folder itself when nothing else lies in it. A folder that also holds the user's own files keeps its mode.
 */
export function tighten(folder: string, isOurs: (name: string) => boolean): void {
  const names = readdirSync(folder);
  const ours = names.filter(isOurs);
  for (const name of ours) tightenFile(join(folder, name));
  const stat = lstatSync(folder);
  const shared = ours.length < names.length || stat.isSymbolicLink();
  if (!shared && isOwn(stat) && (stat.mode & OTHERS) !== 0) chmodSync(folder, PRIVATE_FOLDER);
}

/** Files only, and our own only: the mode behind a symbolic link is not ours to change. */
function tightenFile(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() && isOwn(stat) && (stat.mode & OTHERS) !== 0) chmodSync(path, PRIVATE_FILE);
}

export function isOwn({ uid }: { readonly uid: number }): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

function notPrivate(folder: string, why: string): HundredfoldError {
  return new HundredfoldError({
    code: 'FOLDER_NOT_PRIVATE',
    message: `${folder} cannot be used as a private folder: ${why}`,
    remedy: 'Remove it, or name a folder of your own in HUNDREDFOLD_STATE_DIR.',
  });
}
