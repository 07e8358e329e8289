/** The calls of the file system that the store in a folder needs, with coded errors: no link is followed. */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  open as openCallback,
  type Stats,
} from 'node:fs';
import { copyFile, link, lstat, mkdir, open, readdir, rename, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { hasErrno } from '../domain/process.ts';
import { createBadKeyError } from './layout.ts';
import type { CheckedFolders } from './store.ts';
import { createNoRoomError, toStoreError } from './store-error.ts';

/** Runs a call of the file system; its errors get a code and a remedy. */
export async function callSystem<T>(action: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toStoreError(error, action);
  }
}

export function nullIfAbsent(error: unknown): null {
  if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return null;
  throw error;
}

/** Null if there is nothing of this name. */
export function readStatus(path: string): Promise<Stats | null> {
  return lstat(path).catch(nullIfAbsent);
}

/** A folder that vanished between two steps of a walk has no entries. */
export async function readEntries(folder: string): Promise<Dirent[]> {
  return (await readdir(folder, { withFileTypes: true }).catch(nullIfAbsent)) ?? [];
}

/** Syncs a file or the entries of a folder to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder, and with `parents` its parents; an existing one is left alone. Not `mkdir` with `recursive`: on a
 * read-only disk that fails with ENOENT, which misleads the user. False if it existed.
 */
export async function makeFolder(path: string, parents = false): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) return false;
    if (!parents || !hasErrno(error, 'ENOENT')) throw error;
    await makeFolder(dirname(path), true);
    return makeFolder(path);
  }
}

/**
 * Whether these folders exist, one in the other.
 * @param checked are not looked at again
 * @throws StoreError `STORE_BAD_KEY` for a link
 */
export async function areFolders(
  root: string,
  key: string,
  names: readonly string[],
  checked?: CheckedFolders,
): Promise<boolean> {
  let folder = root;
  for (const name of names) {
    folder = join(folder, name);
    if (checked?.has(folder) === true) continue;
    const found = await readStatus(folder);
    if (found?.isSymbolicLink() === true)
      throw createBadKeyError(key, `${name} is a symbolic link`);
    if (found?.isDirectory() !== true) return false;
    checked?.add(folder);
  }
  return true;
}

/**
 * Makes the missing ones of these folders. Returns those that got a new entry and therefore need a sync.
 * @throws StoreError `STORE_BAD_KEY` for a link, or a file in the way
 */
export async function makeFolders(
  root: string,
  key: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const touched: string[] = [];
  let folder = root;
  for (const name of names) {
    const inner = join(folder, name);
    if ((await readStatus(inner)) === null && (await makeFolder(inner))) touched.push(folder);
    else if (!(await areFolders(folder, key, [name])))
      throw createBadKeyError(key, `${name} is not a folder`);
    folder = inner;
  }
  return touched;
}

/** Files below a folder whose name is wanted, in the order of their full keys. */
export async function* walk(
  root: string,
  folders: readonly string[],
  isWanted: (name: string) => boolean,
): AsyncIterable<string> {
  const entries = await readEntries(join(root, ...folders));
  // A folder sorts as `name/`: depth-first order is then the order of the full keys, as in a bucket.
  const order = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name);
  entries.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  for (const entry of entries) {
    const path = [...folders, entry.name];
    if (entry.isDirectory()) yield* walk(root, path, isWanted);
    else if (entry.isFile() && isWanted(entry.name)) yield path.join('/');
  }
}

/** Opening a named pipe must not wait for a writer. */
const AS_IT_LIES = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A socket cannot be opened. */
function nullIfNotFile(error: unknown): null {
  return hasErrno(error, 'ENXIO') ? null : nullIfAbsent(error);
}

export interface OpenedFile {
  /** To be closed with `closeSync`. */
  readonly fd: number;
  /** Its length. */
  readonly bytes: number;
}

/**
 * To read a file; null if there is none. A link fails with ELOOP.
 *
 * Only what may wait for a disk or a server is left to another thread: the status of an open file is known, and each
 * call of another thread takes longer than the call itself.
 */
export async function openToRead(path: string): Promise<OpenedFile | null> {
  const fd = await openFile(path, AS_IT_LIES).catch(nullIfNotFile);
  if (fd === null) return null;
  const status = fstatSync(fd);
  if (status.isFile()) return { fd, bytes: status.size };
  closeSync(fd);
  return null;
}

const openFile = promisify(openCallback);

const NO_LINKS = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS'] as const;

/** A second name for a file. False if that is impossible: another disk, or a file system without links. */
async function isLinked(source: string, path: string): Promise<boolean> {
  try {
    await link(source, path);
    return true;
  } catch (error) {
    if (hasErrno(error, ...NO_LINKS)) return false;
    throw error;
  }
}

/** The same, and replaces a file that has this name. `temporary`: a free name in its folder, which is left if it fails. */
export async function isLinkedInto(
  source: string,
  path: string,
  temporary: string,
): Promise<boolean> {
  if (!(await isLinked(source, temporary))) return false;
  // Does nothing if both are already the same file.
  await rename(temporary, path);
  return true;
}

/**
 * Gives a whole file a new name: link(2) fails if the name is taken, also over NFS. False if it is taken. Without links
 * the file is copied to a name that the system creates exclusively.
 */
export async function linkNew(source: string, path: string): Promise<boolean> {
  try {
    if (await isLinked(source, path)) return true;
    await copyFile(source, path, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error;
    // Over NFS the answer to a successful link may be lost; the repeated call then finds its own link.
    const [ours, found] = await Promise.all([lstat(source), lstat(path)]);
    return ours.ino === found.ino && ours.dev === found.dev;
  }
}

/** On a small disk this part is kept free, instead of all that the caller requests. */
const MAX_KEPT_PART = 0.02;

/**
 * @param keepFree bytes that are to stay free
 * @param needed length of the file in bytes; null when unknown
 * @throws StoreError `STORE_FULL`
 */
export async function checkSpace(
  folder: string,
  key: string,
  keepFree: number,
  needed: number | null,
): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const kept = Math.min(keepFree, blocks * bsize * MAX_KEPT_PART);
  if (free - (needed ?? 0) < kept) throw createNoRoomError(key, free, needed, kept);
}
