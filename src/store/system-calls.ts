/** The calls of the file system that the store needs, with absence as a value and errors coded. */
import { constants, type Dirent, type Stats } from 'node:fs';
import { link, lstat, mkdir, open, readdir, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { storeErrorOf } from './store-error.ts';

/** Runs a call of the file system; its errors get a code and a remedy. */
export async function system<T>(action: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw storeErrorOf(error, action);
  }
}

/** Brings a file or the entries of a folder to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function syncAll(paths: Iterable<string>): Promise<void> {
  for (const path of paths) await sync(path);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * Makes a folder, and with `parents` those above it; one that is there is left alone.
 * Not `mkdir` with `recursive`: on a read-only disk that says ENOENT, which misleads the user.
 */
export async function makeFolder(path: string, parents: boolean): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return;
    if (!parents || !hasCode(error, 'ENOENT')) throw error;
    await makeFolder(dirname(path), true);
    await makeFolder(path, false);
  }
}

function isAbsent(error: unknown): boolean {
  return hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR');
}

export async function statusOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Not waiting for whoever writes into a pipe that stands there. */
const AS_IT_LIES = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The whole file, in as few calls as there can be: thousands are read for a report. Null where there is none; of a link
 * only that it is one.
 */
export async function bytesOf(path: string): Promise<Uint8Array | 'link' | null> {
  let file;
  try {
    file = await open(path, AS_IT_LIES);
  } catch (error) {
    if (hasCode(error, 'ELOOP')) return 'link';
    // A socket, or a pipe without a reader: nothing that could be read.
    if (isAbsent(error) || hasCode(error, 'ENXIO')) return null;
    throw error;
  }
  try {
    const status = await file.stat();
    return status.isFile() ? await wholeOf(file, status.size) : null;
  } finally {
    await file.close();
  }
}

/** A file never changes under its name, so its size tells where it ends. */
async function wholeOf(file: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(bytes, at, size - at, at);
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}

/** A folder that vanished between two steps of a walk has no entries. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** A second name for a file. False where it cannot be: another disk, or a file system without links. */
export async function isLinked(source: string, path: string): Promise<boolean> {
  try {
    await link(source, path);
    return true;
  } catch (error) {
    if (NO_LINKS.some((code) => hasCode(error, code))) return false;
    throw error;
  }
}

const NO_LINKS = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS'] as const;
