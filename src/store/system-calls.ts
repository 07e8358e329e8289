/** The file system calls that the store needs, with coded errors; those that read are in reads.ts. */
import { copyFile, link, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { hasErrno } from '../domain/errno.ts';
import { storeErrorOf } from './store-error.ts';

/** Runs a call of the file system; its errors get a code and a remedy. */
export async function system<T>(action: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw storeErrorOf(error, action);
  }
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
export async function makeFolder(path: string, parents: boolean): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) return false;
    if (!parents || !hasErrno(error, 'ENOENT')) throw error;
    await makeFolder(dirname(path), true);
    return makeFolder(path, false);
  }
}

export function ignoreAbsent(error: unknown): void {
  if (!isAbsent(error)) throw error;
}

export function isAbsent(error: unknown): boolean {
  return hasErrno(error, 'ENOENT', 'ENOTDIR');
}

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

/** The same, and replaces a file that has this name. `temporary`: a free name in its folder. */
export async function isLinkedInto(
  source: string,
  path: string,
  temporary: string,
): Promise<boolean> {
  try {
    return await isLinked(source, path);
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error;
  }
  if (!(await isLinked(source, temporary))) return false;
  await rename(temporary, path);
  // rename(2) does nothing if both are already the same file.
  await unlink(temporary).catch(ignoreAbsent);
  return true;
}

const NO_LINKS = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS'] as const;

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
